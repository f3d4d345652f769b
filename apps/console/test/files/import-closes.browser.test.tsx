import { staff } from '@oms/contract/account/staff.ts'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { readResourceName } from '#core/api/query.ts'
import { ImportModal } from '#kit/jobs/import-modal.tsx'
import { ok, openTab } from '../browser-harness.tsx'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { chooseFile, pressButton, waitUntil } from '#test/form-cases/page-driver.ts'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

/** A list whose second reading never ends. */
function SlowList() {
  const reads = useRef(0)
  useQuery({
    queryKey: [readResourceName(staff.import), 'slow'],
    queryFn: () => ((reads.current += 1) === 1 ? 1 : new Promise<number>(() => {})),
  })
  return null
}

test('an import closes at the first press of 完成 while its list still reloads', async () => {
  const close = vi.fn<() => void>()
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  tab = openTab(
    <>
      <SlowList />
      <ImportModal title="导入" to={staff.import} template={staff.template} onClose={close} />
    </>,
  )
  server.on(staff.import, ({ dryRun }) =>
    ok({ total: 1, created: 1, updated: 0, failed: 0, rows: [], dryRun: dryRun === '1' }),
  )
  await waitUntil(() => chooseFile('选择表格文件', new File(['x'], 'a.xlsx')))
  await waitUntil(() => pressButton('校验'))
  await waitUntil(() => pressButton('导入1行'))
  await waitUntil(() => pressButton('完成'))
  expect(close).toHaveBeenCalledOnce()
})
