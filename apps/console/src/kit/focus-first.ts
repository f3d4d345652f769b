/** A dialog is open before it stops moving: whoever types in it by then keeps the focus where it is. */
export function focusFirst(form: HTMLElement | null | undefined) {
  if (!form?.contains(document.activeElement)) firstControl(form)?.focus()
}

/** For `afterOpenChange` of dialogs and drawers with fields of their own, without a form of `useFormModal`. */
export const focusOpened = (open: boolean) => {
  if (open) focusFirst([...document.querySelectorAll<HTMLElement>('.ant-modal-body, .ant-drawer-body')].at(-1))
}

const firstControl = (element: HTMLElement | null | undefined) =>
  element?.querySelector<HTMLElement>(
    // A select without a search is an input one cannot write in; calendars, which open by themselves, are passed over.
    'input:not([type=hidden]):not([disabled]):is(:not([readonly]), [role=combobox]), textarea:not([disabled])',
  )
