import { voiceprints } from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { createContractServer } from '#app/form-cases/contract-server.ts'
import VoiceprintListPage from '#modules/agent/voiceprints/voiceprint-list.page.tsx'
import { ok, openTab } from './browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

test('without a voiceprint service, speakers can neither be added nor tested, and the buttons say why', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  server.on(voiceprints.service, () => ok({ state: 0, message: '' }))
  tab = openTab(<VoiceprintListPage />)
  for (const name of ['登记声纹', '测试']) {
    const button = page.getByRole('button', { name }).first()
    await expect.element(button).toBeDisabled()
    await expect.element(button).toHaveAccessibleDescription('还没有声纹服务')
  }
})
