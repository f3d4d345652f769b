import { setRecordTrail } from '#core/routing/record-trail.ts'
import { formatPanelId } from '#app/tabs/tab-panel.tsx'
import { matchRoute } from '#app/screen-match.ts'

const ROWS = '.ant-table-row, .kit-cards > li'
const ADD = /^(?:新增|登记|申请|添加)/
const EDIT = /^编辑/
const VIEW = /^(?:详情|查看|处理|概况)/
const MORE = '[aria-haspopup="menu"]'

const findAll = (within: Element, selector: string) =>
  [...within.querySelectorAll<HTMLElement>(selector)].filter((each) => each.checkVisibility())
const findButton = (within: Element, label: RegExp) =>
  findAll(within, 'button, a').find(({ textContent }) => label.test(textContent.trim()))

/** Returns the page of the active tab. */
const findPage = () =>
  [...document.querySelectorAll<HTMLElement>('.pages > .page')].find((page) => page.checkVisibility())

const findFocusedRow = () => document.activeElement?.closest<HTMLElement>(ROWS) ?? undefined

/** Focuses the row after (1) or before (-1) the focused row; without a focused row, the first row of the page. */
export function moveToRow(step: 1 | -1) {
  const page = findPage()
  const rows = page ? findAll(page, ROWS) : []
  const at = rows.indexOf(findFocusedRow() as HTMLElement)
  const row = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))]
  if (!row) return
  row.tabIndex = -1
  row.focus({ preventScroll: true })
  row.scrollIntoView({ block: 'nearest' })
}

/** Opens the record of the focused row: follows its link, presses its name or its view action, or double-clicks it. */
export function openRow() {
  const row = findFocusedRow()
  if (!row) return
  const named = findAll(row, 'a[href], button.kit-link').find((each) => !each.closest('.kit-row-actions'))
  const control = named ?? findButton(row, VIEW)
  if (control) control.click()
  else row.dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))
}

/** Presses 编辑 of the focused row, also inside its menu, or of the page of a record. */
export function pressEdit() {
  const row = findFocusedRow()
  const place = row ?? findPage()
  if (!place) return
  const button = findAll(place, 'button, a').find(
    (each) => EDIT.test(each.textContent.trim()) && (row !== undefined || !each.closest(ROWS)),
  )
  if (button) return button.click()
  const more = row && findAll(row, MORE).at(-1)
  if (!more) return
  more.click()
  requestAnimationFrame(() => {
    const item = findAll(document.body, '[role=menuitem]').find(({ textContent }) => EDIT.test(textContent.trim()))
    item?.click()
  })
}

/** Presses the button of the page that creates a record. Returns whether the page has such a button. */
export function pressAdd() {
  const page = findPage()
  const button =
    page && findAll(page, 'button').find((each) => ADD.test(each.textContent.trim()) && !each.closest(ROWS))
  button?.click()
  return button !== undefined
}

const WAIT_MS = 10_000
const STEP_MS = 50

/** Presses the button that creates a record as soon as the page of `path` shows the button. */
export function pressAddOn(path: string) {
  const end = Date.now() + WAIT_MS
  const look = () => {
    // The page before stays visible until the code of the next page is loaded.
    if (Date.now() > end || (findPage()?.id === formatPanelId(path) && pressAdd())) clearInterval(timer)
  }
  const timer = setInterval(look, STEP_MS)
}

/** Stores the records of a list when a link to one of them is followed. */
export function rememberTrail({ target }: Event) {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('.pages a[href]') : null
  const row = link?.closest(ROWS)
  const screen = link && matchRoute(link.href)?.screen
  if (!screen?.under || !row?.parentElement) return
  const urls = findAll(row.parentElement, ROWS).flatMap((each) => {
    const links = [...each.querySelectorAll<HTMLAnchorElement>('a[href]')]
    const same = links.find(({ href }) => matchRoute(href)?.screen === screen)
    return same ? [same.pathname + same.search] : []
  })
  setRecordTrail(urls)
}
