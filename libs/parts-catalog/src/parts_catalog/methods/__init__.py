"""Manufacturing methods: one module or folder each, with names, materials, figures and the page of its rules."""
