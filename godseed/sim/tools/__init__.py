"""One module per tool: `build(columns, paths)` turns a batch of features into buffer rows."""
