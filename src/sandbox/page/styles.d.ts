// Lets the page import its styles: esbuild gathers them, and there is nothing to import from them.
declare module "*.css"
