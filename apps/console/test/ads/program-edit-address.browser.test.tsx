import { programs } from '@oms/contract/advertise/program.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { Navigate, Route, Routes } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import ProgramEditPage from '#modules/advertise/programs/program-edit.page.tsx'
import { buildRecordSample, createContractServer } from '#test/form-cases/contract-server.ts'
import { waitUntil } from '#test/form-cases/page-driver.ts'
import { Address, addressOf } from '../address.tsx'
import { ok, openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

test('the URL parameter `then` of a program opens a dialog once and is then removed from the URL', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  server.on(programs.get, () => ok(buildRecordSample(programs.get.result, programs.update)))
  tab = openTab(
    <>
      <Address />
      <Routes>
        <Route path="/edit/:id" element={<ProgramEditPage />} />
        <Route path="*" element={<Navigate to="/edit/10?then=publish" replace />} />
      </Routes>
    </>,
  )
  await waitUntil(() => expect(document.querySelector('.ant-modal-title')?.textContent).toBe('提交发布'))
  await waitUntil(() => expect(addressOf()).toBe('/edit/10'))
  // The replaced URL may abort a request and send the request again, so the dialogs are counted.
  expect(document.querySelectorAll('.ant-modal-title')).toHaveLength(1)
  expect(new Set(server.inputsOf(programChecks.dryRun).map(({ id }) => id))).toEqual(new Set(['10']))
})
