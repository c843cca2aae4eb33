// What people ask of a handbook in their own words, in five languages: the page that answers comes first.
import { afterAll, beforeAll, expect, test } from "vitest"
import { aService, type TestService } from "../a-service.ts"
import { added, ask, foundBy } from "./a-library.ts"

/** Pages by their names. Each language has some that are near each other. */
const pages: Readonly<Record<string, string>> = {
  "passwords.md": "Passwords expire after ninety days. Whoever forgot theirs asks the service desk for a new one.",
  "shipping.md": "The delivery of parcels takes two days inside the country, and five abroad.",
  "cancellation.md": "An order can be stopped until it has left the house; afterwards it is a return.",
  "expenses_2026.md": "Keep the receipts. Money that you spent for work is paid back at the end of the month.",
  "kundenservice.md": "Unsere Straße ist nach einem Dichter benannt. Besucher melden sich am Empfang.",
  "ruecksendung.md": "Rückgaben sind dreißig Tage lang möglich. Wir erstatten den Kaufpreis.",
  "urlaub.md": "Urlaubsanträge gehen an die Leitung der Abteilung und werden binnen einer Woche beschieden.",
  "conges.md": "Les congés sont demandés au moins un mois à l'avance. Les employés gardent leur salaire.",
  "factures.md": "Les factures impayées sont relancées après trente jours.",
  "devoluciones.md": "Las devoluciones se aceptan durante treinta días. El reembolso tarda una semana.",
  "seguridad.md": "Las contraseñas se cambian cada tres meses y no se comparten.",
  "退货.md": "退款政策：收到商品后三十天内可以申请退款，退款将在一周内到账。",
  "配送.md": "配送时间：市内两天，其他地区五天。",
}

/** A question, and the page that answers it. */
const questions: readonly (readonly [question: string, page: string])[] = [
  ["How do I reset my password?", "passwords.md"],
  ["When do you deliver?", "shipping.md"],
  ["Can I cancel an order?", "cancellation.md"],
  ["Which expense is paid back?", "expenses_2026.md"],
  ["In welcher Strasse ist der Empfang?", "kundenservice.md"],
  ["Wie lange ist eine Rückgabe möglich?", "ruecksendung.md"],
  ["Wer bekommt meinen Urlaubsantrag?", "urlaub.md"],
  ["Comment demander un conge ?", "conges.md"],
  ["facture impayée", "factures.md"],
  ["¿Cuánto tarda una devolución?", "devoluciones.md"],
  ["cambiar la contrasena", "seguridad.md"],
  ["退款", "退货.md"],
  ["怎么申请退款？", "退货.md"],
  ["配送要几天", "配送.md"],
  ["政", "退货.md"],
  ["What does the file on expenses say?", "expenses_2026.md"],
]

let service: TestService

beforeAll(async () => {
  service = await aService()
  for (const [name, text] of Object.entries(pages)) await added(service, { name, text_content: text })
})
afterAll(() => service.close())

test.each(questions)("the question %j finds its page first", async (query, page) => {
  const [first] = await foundBy(service, { query })

  expect(first).toBe(page)
})

test("what a page is called counts after it was renamed, and no more once it is gone", async () => {
  const { id } = await added(service, { name: "draft", text_content: "Nothing to see." })
  await ask(service, `PATCH /knowledge/content/${id}`, { form: { name: "zebra crossings" } })

  expect(await foundBy(service, { query: "zebra" })).toEqual(["zebra crossings"])
  expect(await foundBy(service, { query: "draft" })).toEqual([])

  await ask(service, `DELETE /knowledge/content/${id}`)
  expect(await foundBy(service, { query: "zebra" })).toEqual([])
})
