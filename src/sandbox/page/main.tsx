// Puts the page into its frame.
import { createRoot } from "react-dom/client"
import { App } from "./app.tsx"
import "bootstrap/dist/css/bootstrap.min.css"
import "./page.css"

const place = document.getElementById("page")
if (place) createRoot(place).render(<App />)
