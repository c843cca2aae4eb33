// Lets the page import its styles: esbuild gathers them, and the import has no value.
declare module "*.css"
