import { ota } from '@oms/contract/upgrade/ota.ts'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { FIRMWARE_KIND, ArtifactKindProvider } from '#modules/upgrade/versions/artifact-kind.ts'
import { OtaForm } from '#modules/upgrade/versions/ota-form.tsx'
import { ok } from '#test/browser-harness.tsx'
import { useContractPage } from '#test/contract-page.tsx'

const start = useContractPage()
const COMPONENT = { name: '主程序', type: 2, fileName: 'a.bin', url: `/api/v1/file/${'a'.repeat(32)}`, size: 1 }
const FILLED = {
  otaVersion: { modelId: 1, verCode: '120', verName: '1.2.0', releaseDate: '2030-01-01 08:00:00' },
  components: [{ ...COMPONENT, md5: 'a'.repeat(32), sha1: 'a'.repeat(40), sha256: 'a'.repeat(64) }],
}

test('a new firmware version is saved and enabled with one button', async () => {
  const server = start(
    <ArtifactKindProvider value={FIRMWARE_KIND}>
      <OtaForm endpoint={ota.create} place="new" initial={FILLED} />
    </ArtifactKindProvider>,
  )
  server.on(ota.create, () => ok({ otaId: 7 }))
  const panels = page.getByRole('heading', { level: 2 })
  await expect.element(panels.first()).toHaveTextContent('组件')
  await page.getByRole('button', { name: '启用并发布' }).click()
  await page.getByRole('tooltip').getByRole('button', { name: '启用并发布' }).click()
  await expect.poll(() => server.inputsOf(ota.enable)).toMatchObject([{ otaId: '7' }])
  expect(server.inputsOf(ota.create)).toMatchObject([{ otaVersion: { verName: '1.2.0' } }])
})
