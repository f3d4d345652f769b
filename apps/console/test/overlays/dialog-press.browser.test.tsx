import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { RowActions } from '#kit/list/row-actions.tsx'
import { openTab, startServer } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
let observer: MutationObserver | undefined
afterEach(() => {
  observer?.disconnect()
  tab?.close()
})

/** Records the place of the confirmation's button, and whether a press there hits the button, at each change of the dialog. */
function watchButton() {
  const states: { place: string; isHit: boolean }[] = []
  const record = () => {
    const modal = document.querySelector<HTMLElement>('.ant-modal')
    const button = modal?.querySelector<HTMLElement>('.ant-btn-color-dangerous, .ant-btn-dangerous')
    if (!modal || !button) return
    const { left, top, width, height } = button.getBoundingClientRect()
    const hit = document.elementFromPoint(left + width / 2, top + height / 2)
    states.push({ place: [left, top, width, height].map(Math.round).join(' '), isHit: button.contains(hit) })
  }
  observer = new MutationObserver(record)
  observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['class'] })
  return { states, record }
}

test('the buttons of a confirmation do not move during the opening animation, so no press is lost', async () => {
  startServer({})
  let removals = 0
  const remove = { label: '删除', confirm: '删除「一」？', danger: true as const, onClick: () => void removals++ }
  tab = openTab(<RowActions items={[remove]} />)
  const link = page.getByRole('button', { name: '删除' })
  await expect.element(link).toBeVisible()
  const { states, record } = watchButton()
  await link.click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: '删除' })
  await expect.element(confirm).toBeVisible()
  await expect.poll(() => document.querySelector('.ant-modal')?.getAnimations().length).toBe(0)
  record()
  expect(states.length).toBeGreaterThan(2)
  expect(new Set(states.map(({ place }) => place)).size).toBe(1)
  expect(states.filter(({ isHit }) => !isHit)).toEqual([])
  await confirm.click()
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  expect(removals).toBe(1)
})
