// Puts the page into its frame.
import { createRoot } from "react-dom/client"
import { App } from "./app.tsx"
import "slack-blocks-to-jsx/dist/style.css"
import "./frame.css"
import "./sidebar.css"
import "./dialog.css"
import "./message.css"
import "./words.css"
import "./form.css"

const place = document.getElementById("page")
if (place) createRoot(place).render(<App />)
