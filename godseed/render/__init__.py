"""The headless renderer: frames of the world to pixels, stills and clips, without a display."""
