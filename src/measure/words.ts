// Words for labels: few, short and plain, whatever a program of somebody else's puts where one is made.

/** The most words that one label may have; what comes after them is counted together. */
const mostWords = 100
/** What a word of ours looks like: codes, statuses, Web API methods, routes. */
const plain = /^[A-Za-z0-9 ./{}_-]{1,60}$/

/** Makes the function that keeps one label's words: a word as it is, or `other`. */
export function createWords(): (word: string) => string {
  const known = new Set<string>()
  return (word) => {
    if (known.has(word)) return word
    if (known.size >= mostWords || !plain.test(word)) return "other"
    known.add(word)
    return word
  }
}
