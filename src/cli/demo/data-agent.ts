// The demo's Data Agent: a long statement, secrets among arguments, and an account number in a mail.

/** A statement of 40 lines, such as agents write. */
const mergeCustomers = `-- Merge customers that have the same address, keep the oldest.
BEGIN;

CREATE TEMP TABLE doubles AS
SELECT
  lower(trim(email)) AS email,
  min(created_at)    AS oldest,
  count(*)           AS rows
FROM customers
WHERE email IS NOT NULL
GROUP BY 1
HAVING count(*) > 1;

CREATE TEMP TABLE kept AS
SELECT c.id, c.email
FROM customers c
JOIN doubles d
  ON d.email = lower(trim(c.email))
 AND d.oldest = c.created_at;

UPDATE orders o
SET customer_id = k.id
FROM customers c
JOIN kept k
  ON k.email = lower(trim(c.email))
WHERE o.customer_id = c.id
  AND c.id <> k.id;

UPDATE invoices i
SET customer_id = k.id
FROM customers c
JOIN kept k
  ON k.email = lower(trim(c.email))
WHERE i.customer_id = c.id
  AND c.id <> k.id;

DELETE FROM customers
WHERE lower(trim(email)) IN (SELECT email FROM doubles)
  AND id NOT IN (SELECT id FROM kept);

COMMIT;`

/** The agent, as the script has it. */
export const dataAgent = {
  id: "data-agent",
  name: "Data Agent",
  tools: [
    { name: "run_sql", gated: true },
    { name: "export_customers", gated: true },
    { name: "send_mail", gated: true },
  ],
  runs: [
    {
      name: "mail an account",
      turns: [
        [
          {
            tool: "send_mail",
            args: { to: "partner@example.org", text: "Please pay to GB82 WEST 1234 5698 7654 32 from now on." },
          },
        ],
      ],
      answer: "The mail is sent.",
    },
    {
      name: "merge customers",
      turns: [[{ tool: "run_sql", args: { database: "shop", statement: mergeCustomers } }]],
      answer: "The customers are merged.",
    },
    {
      name: "export",
      turns: [
        [
          {
            tool: "export_customers",
            args: {
              target: "https://crm.example.com/import",
              api_key: "demo-8f2b6c1d90aa47e3",
              login: { user: "exporter", password: "correct horse battery" },
              columns: ["name", "email", "country"],
            },
          },
        ],
      ],
      answer: "The export is done.",
    },
  ],
}
