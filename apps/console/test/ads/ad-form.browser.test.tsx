import { AD_TYPE } from '@oms/contract/advertise/engine/manifest.ts'
import { type AdDetail, ads } from '@oms/contract/advertise/ad.ts'
import { files as fileCalls } from '@oms/contract/system/file.ts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { buildSample, createContractServer } from '#test/form-cases/contract-server.ts'
import { chooseFile, findControl, pressButton, submitForm, typeInto, waitUntil } from '#test/form-cases/page-driver.ts'
import { AdAddForm, AdEditForm } from '#modules/advertise/ads/ad-form.tsx'
import { held, ok, openTab, pause } from '../browser-harness.tsx'

let server: ReturnType<typeof createContractServer>
let tab: ReturnType<typeof openTab> | undefined
beforeEach(() => {
  server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
})
afterEach(() => {
  tab?.close()
  tab = undefined
})

const idOf = (digit: number) => String(digit).repeat(32)
const material = (digit: number, fileName: string) => ({
  ...(buildSample(ads.probe.result) as AdDetail['materials'][number]),
  fileId: idOf(digit),
  fileName,
  probeState: 1,
})
const TEXT = { content: '全场八折', fontSize: 60, color: '#ffffff', background: '#000000', align: 'left' as const }
const adOf = (adType: number, fileNames: readonly string[]): AdDetail => ({
  ...(buildSample(ads.get.result) as AdDetail),
  id: 7,
  adName: '新品',
  adType,
  orientation: 0,
  duration: 15,
  linkUrl: adType === AD_TYPE.web ? 'https://a.example.com/' : '',
  text: adType === AD_TYPE.text ? { ...TEXT, scroll: false, speed: 5 } : null,
  materials: fileNames.map((name, at) => material(at + 1, name)),
})
const sentIds = (names: readonly string[]) => names.map((_, at) => ({ fileId: idOf(at + 1) }))
const shown = () => [...document.querySelectorAll('.ad-material b')].map(({ textContent }) => textContent)

function edit(ad: AdDetail) {
  server.on(ads.get, () => ok(ad))
  tab = openTab(<AdEditForm row={ad} onClose={() => {}} />)
}
const fieldShown = (name: string) => waitUntil(() => void findControl(name))

describe('saving an ad after a change of its contract number keeps the files, the text and the URL', () => {
  test.each([
    ['图片', AD_TYPE.image, ['横.png', '竖.png']],
    ['视频', AD_TYPE.video, ['横.mp4', '竖.mp4']],
    ['音频', AD_TYPE.audio, ['歌.mp3']],
    ['HTML素材包', AD_TYPE.package, ['页.zip']],
    ['文字', AD_TYPE.text, []],
    ['网页', AD_TYPE.web, []],
  ] as const)('an ad of type %s', async (_, adType, names) => {
    const ad = adOf(adType, names)
    edit(ad)
    await fieldShown('contractNo')
    await waitUntil(() => expect(shown()).toEqual(names))
    await typeInto('contractNo', 'HT-2')
    submitForm()
    await waitUntil(() => expect(server.inputsOf(ads.update)).toHaveLength(1))
    const [sent] = server.inputsOf(ads.update)
    expect(sent).toMatchObject({ contractNo: 'HT-2', adType, materials: sentIds(names), linkUrl: ad.linkUrl })
    expect(sent?.['text']).toEqual(ad.text ?? undefined)
  })
})

test('removing all files of an ad requires a confirmation when the ad is saved', async () => {
  edit(adOf(AD_TYPE.video, ['横.mp4']))
  await page.getByRole('button', { name: '移除', exact: true }).click()
  submitForm()
  await expect.element(page.getByText('保存后该广告没有素材，重新上传前不能提交审核。')).toBeVisible()
  await pause(100)
  expect(server.inputsOf(ads.update)).toEqual([])
  await waitUntil(() => pressButton('移除并保存'))
  await waitUntil(() => expect(server.inputsOf(ads.update)).toHaveLength(1))
  expect(server.inputsOf(ads.update)[0]).toMatchObject({ materials: [], confirmRemoval: 1 })
})

describe('the form of a new ad', () => {
  const upload = (name: string) => waitUntil(() => chooseFile('选择素材', new File(['x'], name)))
  const typeShown = () => findControl('adType').closest('.ant-select')?.textContent

  test('the form sets the type of the ad to the type of the first file', async () => {
    server.on(fileCalls.begin, held().respond)
    tab = openTab(<AdAddForm onClose={() => {}} />)
    await fieldShown('adName')
    expect(typeShown()).toContain('图片')
    await upload('片.mp4')
    await waitUntil(() => expect(typeShown()).toContain('视频'))
    await waitUntil(() => expect(server.inputsOf(fileCalls.begin)[0]).toMatchObject({ purpose: 'adVideo' }))
    expect(shown()).toEqual(['片.mp4'])
  })

  test('the form shows the error of an invalid first file although this file also changes the type', async () => {
    tab = openTab(<AdAddForm onClose={() => {}} />)
    await fieldShown('adName')
    await upload('一,二.mp4')
    await waitUntil(() => expect(typeShown()).toContain('视频'))
    await pause(100)
    await expect.element(page.getByText('「一,二.mp4」文件名不正确，不能包含英文逗号!')).toBeVisible()
  })

  test('a form that already has a file refuses a file of another type and names the matching type', async () => {
    server.on(fileCalls.begin, held().respond)
    tab = openTab(<AdAddForm onClose={() => {}} />)
    await fieldShown('adName')
    await upload('图.png')
    await waitUntil(() => expect(shown()).toEqual(['图.png']))
    await upload('片.mp4')
    await expect.element(page.getByText('「片.mp4」该文件是视频，请先选择类型「视频」')).toBeVisible()
  })
})

test('the form of a saved ad refuses a file of another type and names the type of ad to create', async () => {
  edit(adOf(AD_TYPE.image, []))
  await fieldShown('adName')
  await waitUntil(() => chooseFile('选择素材', new File(['x'], '片.mp4')))
  await expect.element(page.getByText('「片.mp4」该文件是视频，请新增类型为「视频」的广告')).toBeVisible()
})
