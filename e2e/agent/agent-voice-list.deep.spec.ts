import { SPEECH_KEY, startSpeechVendor } from '../../apps/server/test/clients/speech-vendor.ts'
import { expect, test } from '../support/fixtures.ts'
import { type Api, fresh } from '../support/people.ts'

let vendor: Awaited<ReturnType<typeof startSpeechVendor>>
test.beforeAll(async () => {
  vendor = await startSpeechVendor()
})
test.afterAll(() => vendor.close())

/**
 * Creates a model with the OpenAI speech interface, whose address is this path of the vendor, and a voice of the model.
 */
async function addVoice(admin: Api, path: string) {
  const code = fresh('TTS_e2e')
  const config = { api_key: SPEECH_KEY, api_url: `${vendor.address}${path}`, model: 'tts-1' }
  const model = { type: 'TTS', code, name: code, providerCode: 'openai', config }
  const { id: modelId } = await admin.call<{ id: number }>('POST', '/api/v1/agent/config', model)
  const name = fresh('音色')
  await admin.call('POST', '/api/v1/agent/voice', { modelId, name, code: fresh('onyx'), languages: '中文' })
  return name
}

test('AGENT-06 a voice test plays the speech, and an error shows the message of the vendor without the key', async ({
  page,
  login,
  api,
  accessible,
}) => {
  const admin = await api()
  const [good, refused] = [await addVoice(admin, '/file'), await addVoice(admin, '/refuse')]
  await login()
  await page.goto(`/agent/voice?name=${encodeURIComponent(good)}`)
  await page.getByRole('row').filter({ hasText: good }).getByRole('button', { name: '测试' }).click()
  const dialog = page.getByRole('dialog', { name: `测试音色「${good}」` })
  await dialog.getByLabel('文字').fill('今天有雨')
  await dialog.getByRole('button', { name: '合成并播放' }).click()
  await expect(dialog.getByText(/合成成功，耗时/)).toBeVisible()
  await expect(dialog.getByLabel('合成的语音')).toHaveAttribute('src', /^blob:/)
  expect(vendor.asked.at(-1)!.body).toMatchObject({ input: '今天有雨', response_format: 'wav' })
  await accessible()
  await page.keyboard.press('Escape')
  await page.goto(`/agent/voice?name=${encodeURIComponent(refused)}`)
  await page.getByRole('row').filter({ hasText: refused }).getByRole('button', { name: '测试' }).click()
  const failed = page.getByRole('dialog', { name: `测试音色「${refused}」` })
  await failed.getByRole('button', { name: '合成并播放' }).click()
  await expect(failed.getByText('语音合成服务拒绝了密钥')).toBeVisible()
  await expect(failed).not.toContainText(SPEECH_KEY)
})
