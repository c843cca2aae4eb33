// Links of addresses to people, as far as they can be believed.
import { isPortError, type Ports } from "./ports.ts"

/** What `read` gives. A link that is older than the ledger counts for nobody, and takes nothing from others (R7, R14): `behind`, and an alarm. */
export async function newest<Link>(
  ports: Pick<Ports, "alarm">,
  email: string,
  read: () => Promise<Link>,
): Promise<Link | "behind"> {
  try {
    return await read()
  } catch (error) {
    if (!isPortError(error) || error.code !== "behind") throw error
    ports.alarm({ code: "link-behind", email, hint: "countersign people link says anew whom it means" })
    return "behind"
  }
}
