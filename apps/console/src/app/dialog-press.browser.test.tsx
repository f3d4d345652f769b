import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { RowActions } from '#kit/list/row-actions.tsx'
import { openTab, startServer } from './browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
let observer: MutationObserver | undefined
afterEach(() => {
  observer?.disconnect()
  tab?.close()
})

/** Records the phases of the opening animation in which a press hits the button of the confirmation. */
function watchPresses() {
  const phases: { phase: string; isHit: boolean }[] = []
  observer = new MutationObserver(() => {
    const modal = document.querySelector<HTMLElement>('.ant-modal')
    const button = modal?.querySelector<HTMLElement>('.ant-btn-color-dangerous, .ant-btn-dangerous')
    if (!modal || !button) return
    const { left, top, width, height } = button.getBoundingClientRect()
    const hit = document.elementFromPoint(left + width / 2, top + height / 2)
    const phase = /ant-zoom-appear-(\w+)/.exec(modal.className)?.[1] ?? 'open'
    phases.push({ phase, isHit: button.contains(hit) })
  })
  observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['class'] })
  return phases
}

test('a confirmation accepts no press before its opening animation has begun, and accepts the first one after it', async () => {
  startServer({})
  let removals = 0
  const remove = { label: '删除', confirm: '删除「一」？', danger: true as const, onClick: () => void removals++ }
  tab = openTab(<RowActions items={[remove]} />)
  const link = page.getByRole('button', { name: '删除' })
  await expect.element(link).toBeVisible()
  const phases = watchPresses()
  await link.click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: '删除' })
  await expect.element(confirm).toBeVisible()
  const early = phases.filter(({ phase }) => phase === 'prepare' || phase === 'start')
  expect(early).not.toEqual([])
  expect(early.filter(({ isHit }) => isHit)).toEqual([])
  await confirm.click()
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  expect(removals).toBe(1)
})
