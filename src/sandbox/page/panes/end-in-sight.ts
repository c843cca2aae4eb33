// Lists that grow at their end, as conversations do.
import { useLayoutEffect, useRef } from "react"

const NEAR_PX = 120

/** Keeps the end of the list in sight when something comes or the window changes, unless the reader has scrolled up. */
export function useEndInSight(newest: string) {
  const list = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const follow = () => atEnd.current && list.current?.scrollTo({ top: list.current.scrollHeight })
  useLayoutEffect(() => {
    const node = list.current
    if (!node) return undefined
    const note = () => {
      atEnd.current = node.scrollHeight - node.scrollTop - node.clientHeight < NEAR_PX
    }
    const resized = new ResizeObserver(follow)
    resized.observe(node)
    node.addEventListener("scroll", note, { passive: true })
    return () => {
      resized.disconnect()
      node.removeEventListener("scroll", note)
    }
  }, [])
  useLayoutEffect(() => void follow(), [newest])
  return list
}
