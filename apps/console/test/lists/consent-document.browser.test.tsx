import { playbackConsents } from '@oms/contract/storage/consent.ts'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { ConsentList } from '#modules/storage/playback/playback-panel.tsx'
import { buildSample, findRowSchema } from '#test/form-cases/contract-server.ts'
import { ok } from '../browser-harness.tsx'
import { useContractPage } from '../contract-page.tsx'

const start = useContractPage()
const NAME = '云栖物业三号楼摄像机录像查看授权书-2026.pdf'

test('a long document name is cut off inside its cell, and a tooltip shows the complete name', async () => {
  await page.viewport(1440, 900)
  const server = start(<ConsentList />)
  const row = { ...(buildSample(findRowSchema(playbackConsents.list.result)) as object), id: 1 }
  server.on(playbackConsents.list, () =>
    ok({ total: 1, list: [{ ...row, fileId: 'a'.repeat(32), fileName: NAME, operName: '张三' }] }),
  )
  const name = page.getByText(NAME)
  await expect.element(name).toBeVisible()
  const cell = name.element().closest('td, dd')!
  const button = name.element().closest('button')!
  expect(button.getBoundingClientRect().right).toBeLessThanOrEqual(cell.getBoundingClientRect().right)
  expect(button.scrollWidth).toBeLessThanOrEqual(button.clientWidth)
  await name.hover()
  await expect.element(page.getByRole('tooltip')).toHaveTextContent(NAME)
})
