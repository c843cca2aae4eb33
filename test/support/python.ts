// A Python for tests, the same on every machine: CPython in WebAssembly, from an npm package. So nobody has to install
// one.
import { loadPyodide } from "pyodide"

/**
 * Loads a module of Python text and gives back a function that evaluates an expression on it, with `given` bound to a
 * text.
 */
export async function loadPython(module: string): Promise<(expression: string, given: string) => unknown> {
  const python = await loadPyodide()
  python.runPython(module)
  return (expression, given) => {
    python.globals["set"]("given", given)
    return python.runPython(expression)
  }
}
