import { agentDevices } from '@oms/contract/agent/devices/device.ts'
import type { Endpoint, FileRule } from '@oms/contract/core/endpoint.ts'
import { devices } from '@oms/contract/device/device-info.ts'
import { limitTable } from '@oms/contract/core/upload.ts'
import { appAccount } from '@oms/contract/storage/app-account.ts'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { chooseFile, isTextShown, waitUntil } from '#test/form-cases/page-driver.ts'
import { ImportModal } from '#kit/jobs/import-modal.tsx'
import { AllotFile } from '#modules/license/allot-file.tsx'
import { LicenseImport } from '#modules/license/license-import.tsx'
import { StaffImport } from '#modules/account/staff/staff-dialogs.tsx'
import { GrantFileDialog } from '#modules/storage/entitlements/grant-file-dialogs.tsx'
import { openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
beforeEach(() => void createContractServer((fetch) => vi.stubGlobal('fetch', fetch)))
afterEach(() => {
  tab?.close()
  tab = undefined
})
const nothing = () => {}
const modal = ({ import: to, template }: { import: Endpoint & { file: FileRule }; template: Endpoint }) => (
  <ImportModal title="导入" to={to} template={template} onClose={nothing} />
)

test.each<[string, ReactNode, string]>([
  ['用户', <StaffImport key="1" onClose={nothing} />, '支持 xlsx、csv，最多 1,000 行，不超过 50 MB'],
  ['设备', modal(devices), '支持 xlsx、csv，最多 200,000 行，不超过 50 MB'],
  ['App账号', modal(appAccount), '支持 xlsx、csv，最多 100,000 行，不超过 50 MB'],
  ['绑定', modal(agentDevices), '支持 xlsx、csv，最多 20,000 行，不超过 50 MB'],
  ['证书', <LicenseImport key="1" onClose={nothing} />, '支持 xlsx、csv，最多 200,000 行，不超过 50 MB'],
  [
    '证书分配',
    <AllotFile key="1" tenantId={1} onMissing={nothing} onClose={nothing} />,
    '支持 xlsx、csv，最多 200,000 行，不超过 50 MB',
  ],
  [
    '云存开通',
    <GrantFileDialog key="1" onClose={nothing} />,
    '列：序列号、通道、份数。支持 xlsx、csv，最多 100,000 行，不超过 50 MB',
  ],
])('the import of %s names its formats, rows and size before a file is chosen', async (_, dialog, limits) => {
  tab = openTab(dialog)
  await waitUntil(() => expect(isTextShown(limits)).toBe(true))
})

test('a dialog refuses a file that is larger than the limit of its call, before the file is sent', async () => {
  tab = openTab(
    modal({ import: { ...devices.import, file: limitTable(2000, 5 * 1024 * 1024) }, template: devices.template }),
  )
  const big = new File([new Uint8Array(5 * 1024 * 1024 + 1)], '大.xlsx')
  await waitUntil(() => chooseFile('选择表格文件', big))
  await waitUntil(() => expect(isTextShown('上传文件大小不能超过 5 MB!')).toBe(true))
  expect(isTextShown('大.xlsx')).toBe(false)
  // The import of devices permits 50 MB.
  tab.close()
  tab = openTab(modal(devices))
  await waitUntil(() => chooseFile('选择表格文件', big))
  await waitUntil(() => expect(document.body.textContent).toContain('大.xlsx'))
  expect(document.body.textContent).not.toContain('上传文件大小不能超过')
})
