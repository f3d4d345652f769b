import { afterEach, expect, test } from 'vitest'
import { FieldChanges } from '#kit/record/field-changes.tsx'
import { openTab } from '#test/browser-harness.tsx'
import { waitUntil } from '#test/form-cases/page-driver.ts'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

/** Renders the changes and returns the texts of the rows. */
async function rowsOf(diff: Parameters<typeof FieldChanges>[0]['diff']) {
  tab = openTab(<FieldChanges diff={diff} />)
  const rows = () => [...document.querySelectorAll('tbody tr')]
  await waitUntil(() => expect(rows()).not.toEqual([]))
  return rows().map((row) => [...row.children].map(({ textContent }) => textContent))
}

test('the list of changed fields shows times with a zone as local times', async () => {
  const times = { from: '2025-10-19T07:24:45.013Z', to: '2026-10-19 10:00:00' }
  expect(await rowsOf([{ field: 'beginTime', title: '开始时间', ...times }])).toEqual([
    ['开始时间', '2025-10-19 15:24:45', '2026-10-19 10:00:00'],
  ])
})

test('the list of changed fields omits fields that are empty on both sides and shows an empty list as （空）', async () => {
  const diff = [
    { field: 'packageName', title: '包名', from: null, to: '' },
    { field: 'components', title: '组件', from: [], to: ['主控'] },
    { field: 'count', title: '数量', from: 0, to: false },
  ]
  expect(await rowsOf(diff)).toEqual([
    ['组件', '（空）', '主控'],
    ['数量', '0', '否'],
  ])
})
