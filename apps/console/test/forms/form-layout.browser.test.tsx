import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { DeviceAddForm } from '#modules/device/device-forms.tsx'
import { ok, openTab, startServer } from '#test/browser-harness.tsx'
import '#kit/kit.css'

/** Minimum distance in pixels between an error or hint and the next label. */
const GAP = 6

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

function Screen() {
  const [isOpen, setOpen] = useState(true)
  return isOpen && <DeviceAddForm onClose={() => setOpen(false)} />
}

test('the error and the hint of a field have a gap to the label of the next field', async () => {
  startServer({
    'GET /api/v1/device/options/model': () => ok({ list: [] }),
    'GET /api/v1/tenant/options/tenant': () => ok({ list: [] }),
  })
  tab = openTab(<Screen />)
  await page.getByText('更多信息').click()
  await page.getByLabelText('MAC').fill('not a mac')
  await page.getByRole('button', { name: '保存', exact: true }).click()
  await expect.element(page.getByText('MAC格式不正确', { exact: false })).toBeVisible()
  await expect.poll(() => smallestGap()).toBeGreaterThanOrEqual(GAP)
  expect(document.querySelectorAll('.ant-form-item-explain-error').length).toBeGreaterThanOrEqual(3)
})

/** Returns the smallest distance between the last text of a field and the label of the next field. */
function smallestGap() {
  const items = [...document.querySelectorAll('.ant-form-item')]
  const gaps = items.flatMap((item, at) => {
    const texts = [...item.querySelectorAll('.ant-form-item-explain-error, .ant-form-item-extra')]
    const label = items[at + 1]?.querySelector('label')
    if (texts.length === 0 || !label) return []
    const end = Math.max(...texts.map((text) => text.getBoundingClientRect().bottom))
    return [label.getBoundingClientRect().top - end]
  })
  return Math.min(...gaps)
}
