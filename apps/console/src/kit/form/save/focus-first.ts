/**
 * Focuses the first field of a form whose opening animation has ended. Does not move a focus that the user has set
 * meanwhile in a field or an overlay of the form (options, a calendar, another dialog).
 */
export function focusFirstField(form: HTMLElement | null | undefined) {
  if (form && !isWithinOrAbove(document.activeElement, form)) firstControl(form)?.focus()
}

/** Popups and dialogs are appended to the body in the order in which they open. */
function isWithinOrAbove(focused: Element | null, form: HTMLElement) {
  if (form.contains(focused)) return true
  const layer = focused?.closest('.ant-modal-root, .ant-drawer, .ant-select-dropdown, .ant-picker-dropdown')
  return Boolean(layer && form.compareDocumentPosition(layer) & Node.DOCUMENT_POSITION_FOLLOWING)
}

/** Focuses the first field of a dialog or drawer; for `afterOpenChange` without `useFormModal`. */
export const focusFirstFieldOnOpen = (open: boolean) => {
  if (open) focusFirstField([...document.querySelectorAll<HTMLElement>('.ant-modal-body, .ant-drawer-body')].at(-1))
}

const firstControl = (element: HTMLElement | null | undefined) =>
  element?.querySelector<HTMLElement>(
    // Skips selects without search, which accept no text, and calendars, which would open on focus.
    'input:not([type=hidden]):not([disabled]):is(:not([readonly]), [role=combobox]), textarea:not([disabled])',
  )
