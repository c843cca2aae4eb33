// What the page is made of, bundled for browsers; whoever starts the sandbox hands it in.

/** The page's script and style, as text. */
export interface PageFiles {
  readonly script: string
  readonly style: string
}

/** Gives the page's files, the same at every call. Rejects if they cannot be bundled. */
export type LoadPage = () => Promise<PageFiles>
