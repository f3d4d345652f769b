/** Delay until a dialog's animation ends. A field that the user focused in the meantime keeps the focus. */
export function focusFirst(form: HTMLElement | null | undefined) {
  if (!form?.contains(document.activeElement)) firstControl(form)?.focus()
}

/** Focuses the first field of a dialog or drawer; for `afterOpenChange` without `useFormModal`. */
export const focusOpened = (open: boolean) => {
  if (open) focusFirst([...document.querySelectorAll<HTMLElement>('.ant-modal-body, .ant-drawer-body')].at(-1))
}

const firstControl = (element: HTMLElement | null | undefined) =>
  element?.querySelector<HTMLElement>(
    // Skips selects without search, which accept no text, and calendars, which would open on focus.
    'input:not([type=hidden]):not([disabled]):is(:not([readonly]), [role=combobox]), textarea:not([disabled])',
  )
