import { vi } from 'vitest'

const WAIT = { timeout: 20_000, interval: 10 }
export const waitUntil = (check: () => void | Promise<void>) => vi.waitFor(check, WAIT)

function present<T>(value: T | null | undefined, name: string): T {
  if (value === null || value === undefined) throw new Error(`${name} is not on the page`)
  return value
}
/** A hidden page keeps its elements without a size. */
const isVisible = (element: Element) => element.getClientRects().length > 0
const shown = <E extends Element>(selector: string) =>
  [...document.querySelectorAll<E>(selector)].find((element) => isVisible(element))

/** Returns the visible control of a form field. */
export const findControl = (field: string) =>
  present(shown<HTMLInputElement>(`form [id^="form"][id$="_${field}"]`), `field ${field}`)
export const isFormOpen = () => shown('form [id^="form"]') !== undefined || shown('[role="dialog"]') !== undefined

/** Returns whether the page shows the text. */
export const isTextShown = (text: string) =>
  [...document.querySelectorAll('body *')].some(
    (element) => element.childElementCount === 0 && element.textContent === text && isVisible(element),
  )
/** Returns the messages below the fields. */
export const readFieldErrors = () =>
  [...document.querySelectorAll('.ant-form-item-explain-error')].filter(isVisible).map((each) => each.textContent)

/** Clicks an enabled button. */
export function pressButton(name: string) {
  const buttons = [...document.querySelectorAll('button')].filter(
    (button) =>
      isVisible(button) &&
      !button.disabled &&
      button.ariaDisabled !== 'true' &&
      !button.classList.contains('ant-btn-loading'),
  )
  // antd separates two characters of a button by a space.
  present(
    buttons.find(({ textContent }) => textContent.replaceAll(' ', '') === name),
    `button ${name}`,
  ).click()
}

/** Returns the visible submit button. A loading button ignores a press, so it counts as missing. */
export const findSubmitButton = () =>
  present(shown<HTMLButtonElement>('button[type="submit"]:not(.ant-btn-loading)'), 'submit button')
export const submitForm = () => findSubmitButton().click()

const fire = (element: Element, event: Event) => void element.dispatchEvent(event)
const bubbles = { bubbles: true, cancelable: true }

export const typeInto = (field: string, text: string) => enterText(findControl(field), text)

/** Enters a text as a person does: React ignores an assignment to `value`. */
export async function enterText(element: HTMLElement | null, text: string) {
  if (!element) throw new Error('the field is not on the page')
  element.focus()
  if (element.isContentEditable) return void document.execCommand('insertText', false, text)
  const prototype = element instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement
  Object.getOwnPropertyDescriptor(prototype.prototype, 'value')?.set?.call(element, text)
  fire(element, new Event('input', bubbles))
  // A date picker accepts typed text only after Enter; in other fields Enter would submit the form.
  if (element.closest('.ant-picker')) fire(element, new KeyboardEvent('keydown', { key: 'Enter', ...bubbles }))
  // A number field compares the text of its last rendering when it loses the focus.
  await new Promise((resolve) => setTimeout(resolve))
  element.blur()
}

const OPTION = '.ant-select-item-option, .ant-select-tree-list-holder .ant-select-tree-node-content-wrapper'

/** Chooses the first option of a select or of radio buttons. */
export async function chooseFirst(field: string) {
  const radio = findControl(field).querySelector<HTMLInputElement>('input[type="radio"]')
  if (radio) return radio.click()
  // The options of a select that was used before close with an animation.
  await waitUntil(() => {
    if (shown(OPTION)) throw new Error('the options of another select are open')
  })
  findControl(field).focus()
  // A select of a list's filter renders a placeholder until it has the focus.
  await waitUntil(() => {
    if (findControl(field).closest('.kit-select-early')) throw new Error(`${field} is still a placeholder`)
  })
  const input = findControl(field)
  fire(input.closest('.ant-select') ?? input, new MouseEvent('mousedown', bubbles))
  await waitUntil(() => void present(shown(OPTION), `option of ${field}`))
  shown<HTMLElement>(OPTION)?.click()
  input.blur()
}

/** Chooses a file in a hidden file input. */
export function chooseFile(label: string, file: File) {
  const input = present(document.querySelector<HTMLInputElement>(`input[type="file"][aria-label="${label}"]`), label)
  const chosen = new DataTransfer()
  chosen.items.add(file)
  input.files = chosen.files
  fire(input, new Event('change', bubbles))
}
