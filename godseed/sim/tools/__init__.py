"""One module per tool: `build(columns, paths)` turns a batch of its features into rows of buffers."""
