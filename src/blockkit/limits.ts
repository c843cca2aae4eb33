// The table of Slack's Block Kit limits.

/**
 * Every size and count to which Slack limits blocks, messages and views. A text counts in UTF-16 units after escaping.
 * Slack does not say how it counts; of all plausible ways, ours gives the largest number. The sizes are from Slack's
 * reference pages (https://docs.slack.dev/reference/block-kit/blocks) and published types. `messageTextTotal` is
 * undocumented: Slack refused messages of 11,341 units, so we keep to 10,000. `messageText` is what `chat.update`
 * accepts, and what Slack recommends everywhere. By its pages Slack cuts a post only above 40,000, but it split or
 * refused posts above 4,000.
 */
export const blockLimits = Object.freeze({
  blocksPerMessage: 50,
  blocksPerView: 100,
  messageTextTotal: 10_000,
  /** Top-level `text`. */
  messageText: 4_000,
  metadataEventType: 50,

  id: 255,
  text: 3_000,
  sectionFields: 10,
  sectionField: 2_000,
  header: 150,
  contextElements: 10,
  actionsElements: 25,

  buttonText: 75,
  buttonValue: 2_000,
  url: 3_000,
  accessibilityLabel: 75,
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,

  selectOptions: 100,
  optionGroups: 100,
  choiceOptions: 10,
  overflowOptions: 5,
  optionText: 75,
  optionValue: 75,
  optionDescription: 75,
  optionGroupLabel: 75,
  placeholder: 150,

  inputLength: 3_000,
  inputLabel: 2_000,
  inputHint: 2_000,
  imageText: 2_000,

  markdown: 12_000,
  tableRows: 100,
  tableCells: 20,
  tablesPerMessage: 1,
  tableText: 10_000,
  alert: 200,
  containerTitle: 150,
  containerChildren: 10,

  viewTitle: 24,
  viewButton: 24,
  viewStack: 3,
  privateMetadata: 3_000,
  /** The size of a whole view as JSON, in bytes (`sentBytes`). Above it Slack answers `view_too_large`. */
  viewBytes: 250_000,
})
