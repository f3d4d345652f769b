import { addCamera, consentInApp, upload } from './cameras.ts'
import { expect, test } from '../support/fixtures.ts'

test('STORAGE-09 staff view a picture that belongs to no event in the drawer of the camera', async ({
  page,
  login,
  api,
  staff,
  request,
  accessible,
}) => {
  const admin = await api()
  const camera = await addCamera(admin)
  const start = Date.now() + 2000
  await upload(request, camera, [{ bytes: await page.screenshot({ type: 'jpeg' }), segment: { start, format: 'jpg' } }])
  await consentInApp(admin, request, camera, start - 1000)
  const rights = ['list', 'query', 'view'].map((action) => `ossManage:deviceList:${action}`)
  await login(await staff(rights, '查看员'))
  await page.goto(`/ossManage/deviceList?sn=${camera.sn}`)
  await page
    .getByRole('row', { name: new RegExp(camera.sn) })
    .getByRole('button', { name: '详情' })
    .click()
  const drawer = page.getByRole('dialog', { name: new RegExp(camera.sn) })
  await drawer.getByRole('tab', { name: '设备云存' }).click()
  await drawer.getByRole('button', { name: '查看录像' }).click()
  const ask = page.getByRole('dialog', { name: `查看录像 ${camera.sn}` })
  await expect(ask.getByRole('list', { name: '有录像的时间' }).getByRole('button')).toHaveCount(1)
  await ask.getByLabel('查看原因').fill('用户报修花屏，核对画面')
  await ask.getByRole('button', { name: '查看', exact: true }).click()
  const picture = page.getByRole('img', { name: /^摄像机图片/ })
  await expect.poll(() => picture.evaluate((each) => (each as HTMLImageElement).naturalWidth)).toBeGreaterThan(0)
  await expect(page.getByText('图片 1 张')).toBeVisible()
  await accessible()
})
