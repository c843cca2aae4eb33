// A rule's sentence (`say`): words, and names of arguments in braces, nothing else. Pure.

/** One part of a sentence: the operator's words, or the argument whose value goes there. */
export type SentencePart = { readonly words: string } | { readonly argument: string }

const part = /\{([^{}]*)\}|([^{}]+)|([{}])/g

/** The parts of a sentence, or what is wrong with it, in words. */
export function partsOfSentence(sentence: string): readonly SentencePart[] | string {
  const parts: SentencePart[] = []
  for (const [found, name, words] of sentence.matchAll(part)) {
    if (words !== undefined) parts.push({ words })
    else if (name === undefined) return `has a ${found} that no other closes; write {amount} for the argument amount`
    else if (name.trim() !== name || name === "") return `must name an argument in ${found}, such as {amount}`
    else parts.push({ argument: name })
  }
  return parts
}
