// The texts of licences: each package with what it declares and what it brings, and none that says nothing.
import { expect, test } from "vitest"
import { licenseTexts } from "../../src/setup/sbom.mjs"

const text = (content: string) => ({ license: { text: { content: Buffer.from(content).toString("base64") } } })

test("each package stands there with its version, what it declares, and its own licence files", () => {
  const component = { group: "@a", name: "b", version: "1.2.3", licenses: [{ license: { id: "MIT" } }] }

  const texts = licenseTexts([{ ...component, evidence: { licenses: [text("Copyright Å\n"), text("NOTICE")] } }])

  expect(texts).toContain("@a/b 1.2.3\nMIT\n\nCopyright Å\n\nNOTICE\n")
})

test("a choice of licences is written as the package declares it", () => {
  const component = { name: "b", version: "1.0.0", licenses: [{ expression: "(MIT OR Apache-2.0)" }] }

  expect(licenseTexts([{ ...component, evidence: { licenses: [text("either")] } }])).toContain(
    "b 1.0.0\n(MIT OR Apache-2.0)\n\neither",
  )
})

test("a package without a licence file stands there with what its package.json says", () => {
  const component = { name: "b", version: "1.0.0", author: "Bea", licenses: [{ license: { name: "MIT-like" } }] }

  expect(licenseTexts([component])).toContain(
    "b 1.0.0\nMIT-like\n\nIts files hold no text of a licence; its package.json says MIT-like, by Bea.",
  )
})

test("a package that says nothing of a licence stops the build", () => {
  expect(() => licenseTexts([{ name: "b", version: "1.0.0", evidence: {} }])).toThrow(
    "b 1.0.0 is in the bundle and says nothing of a licence. Ask its authors for one, or use another package.",
  )
})
