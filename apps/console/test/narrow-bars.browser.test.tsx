import { ads } from '@oms/contract/advertise/ad.ts'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { AGENT_CASES } from '#test/form-cases/agent-cases.tsx'
import { AdAudit } from '#modules/advertise/ads/ad-audit.tsx'
import { ok } from './browser-harness.tsx'
import { useContractPage } from './contract-page.tsx'
import '#kit/kit.css'

const open = useContractPage()
afterEach(() => sessionStorage.clear())

/** Returns the parts of a bar that are outside of the bar or of the window, or that overlap. */
function findCutParts(bar: string) {
  const box = document.querySelector(bar)!.getBoundingClientRect()
  const parts = [...document.querySelectorAll<HTMLElement>(`${bar} > *`)].filter((part) => part.offsetHeight > 0)
  const isCut = (part: HTMLElement) => {
    const { left, right } = part.getBoundingClientRect()
    return left < box.left - 1 || right > Math.min(box.right, innerWidth) + 1 || part.scrollWidth > part.clientWidth + 1
  }
  const overlap = (one: DOMRect, other: DOMRect) =>
    one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1
  const boxes = parts.map((part) => part.getBoundingClientRect())
  const isOverlapped = (_: HTMLElement, at: number) =>
    boxes.some((each, other) => other !== at && overlap(boxes[at]!, each))
  return parts.filter((part, at) => isCut(part) || isOverlapped(part, at)).map(({ textContent }) => textContent)
}

test('the hint and the buttons below the form of an agent are complete on a phone', async () => {
  await page.viewport(390, 844)
  const form = AGENT_CASES.find(({ file }) => file === 'agent/agents/agent-form.tsx')!
  const server = open(<main style={{ padding: 24 }}>{form.form(() => {}, {})}</main>)
  for (const [to, data] of form.reads ?? []) server.on(to, () => ok(data))
  await expect.element(page.getByText(/^当前版本 v/)).toBeVisible()
  expect(findCutParts('.agent-form-foot')).toEqual([])
  await page.getByLabelText('智能体名称', { exact: true }).fill('小智二号')
  await expect.element(page.getByText('有未保存的修改，可先试用')).toBeVisible()
  expect(findCutParts('.agent-form-foot')).toEqual([])
})

test('the buttons of a review are complete on a phone', async () => {
  await page.viewport(390, 844)
  const server = open(<AdAudit row={{ id: 1, adName: '春节' } as never} onClose={() => {}} />)
  server.on(ads.versions, () => ok({ list: [] }))
  await expect.element(page.getByRole('button', { name: '驳回' })).toBeVisible()
  // The drawer moves into the window.
  await expect.poll(() => findCutParts('.kit-form-footer')).toEqual([])
})
