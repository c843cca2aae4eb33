// The page's style, as text.

/** Plain CSS. */
export const PAGE_STYLE = `
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 0 1rem 4rem; color: #1d1c1d }
header { display: flex; gap: 1rem; align-items: center; padding: .75rem 0; border-bottom: 1px solid #ddd; flex-wrap: wrap }
article { border: 1px solid #ddd; border-radius: 6px; padding: .5rem .75rem; margin: .5rem 0 }
.thread { margin-left: 1.5rem; border-left: 3px solid #ddd; padding-left: .75rem }
.ephemeral { background: #f8f8f8; border-style: dashed }
.section { display: flex; justify-content: space-between; gap: 1rem }
.fields { display: grid; grid-template-columns: 1fr 1fr; gap: .25rem 1rem }
.actions { display: flex; gap: .5rem; flex-wrap: wrap; margin: .5rem 0 }
.context, small { color: #616061; font-size: 13px }
.mention { background: #e8f1fa; color: #1264a3; border-radius: 3px; padding: 0 2px }
pre { background: #f6f6f6; border: 1px solid #ddd; padding: .5rem; white-space: pre-wrap; overflow-wrap: anywhere }
button { font: inherit; border: 1px solid #999; border-radius: 4px; background: #fff; padding: .25rem .75rem; cursor: pointer }
button.primary { background: #007a5a; border-color: #007a5a; color: #fff }
button.danger { background: #e01e5a; border-color: #e01e5a; color: #fff }
.modal { position: fixed; inset: 5vh 0 auto; margin: auto; max-width: 36rem; max-height: 85vh; overflow: auto; background: #fff;
  border: 1px solid #999; border-radius: 8px; padding: 1rem; box-shadow: 0 8px 40px #0006 }
.input { display: block; margin: .75rem 0 } .input input, .input textarea, .input select { display: block; width: 100%; font: inherit }
.error, .notice { color: #b00020 } .alert { border-left: 4px solid #e8912d; padding-left: .5rem }
.bold { font-weight: bold } .italic { font-style: italic } .strike { text-decoration: line-through } .code { font-family: monospace }
table { border-collapse: collapse } td { border: 1px solid #ddd; padding: .25rem .5rem }
#say { color: #b00020; min-height: 1.4em }
`
