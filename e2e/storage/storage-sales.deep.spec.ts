import { createHmac } from 'node:crypto'
import { expect, test } from '../support/fixtures.ts'
import { type Api, fresh } from '../support/people.ts'
import { pick } from '../support/pick.ts'

/** Creates a camera and a package, both with the same name. */
async function cameraAndPackage(admin: Api) {
  const [name, sn, code] = [fresh('存'), fresh('CAM'), fresh('PK')]
  const type = { typeName: name, typeCode: fresh('cloud-') }
  const { id: typeId } = await admin.call<{ id: number }>('POST', '/api/v1/device/type', type)
  const model = { typeId, modelName: name, modelCode: fresh('CM-'), cloudChannels: 2 }
  const { id: modelId } = await admin.call<{ id: number }>('POST', '/api/v1/device/model', model)
  await admin.call('POST', '/api/v1/device/info', { sn, modelId, tenantId: 1, devName: '门口' })
  const terms = { recordType: 1, storageDays: 7, periodType: 2, periodCount: 1, price: 2900, channels: 4 }
  await admin.call('POST', '/api/v1/oss/package', { packageName: name, packageCode: code, ...terms })
  return { name, sn, code }
}

test('STORAGE-11 an operator creates cards, downloads their file once and redeems a code for a camera', async ({
  page,
  login,
  api,
  accessible,
}) => {
  const { name, sn } = await cameraAndPackage(await api())
  await login()
  await page.goto('/ossManage/deviceList')
  await page.getByRole('tab', { name: '卡密' }).click()
  await page.getByRole('button', { name: '生成卡密' }).first().click()
  const form = page.getByRole('dialog', { name: '生成卡密' })
  await pick(form.getByLabel('云存套餐'), name)
  await form.getByLabel('数量').fill('2')
  await form.getByLabel('单张金额').fill('19.9')
  await accessible()
  await form.getByLabel('有效期至').fill('2099-12-31')
  await form.getByLabel('有效期至').press('Tab')
  await form.getByRole('button', { name: '生成', exact: true }).click()
  await expect(form).toBeHidden()

  const row = page.getByRole('row', { name: new RegExp(name) })
  await expect(row).toContainText('¥19.90')
  await accessible()
  await row.getByRole('button', { name: '下载文件' }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('dialog', { name: '下载文件' }).getByRole('button', { name: '下载文件' }).click()
  const stream = await (await downloading).createReadStream()
  const file = Buffer.concat(await stream.toArray()).toString('utf8')
  const codes = file.match(/\b[0-9A-Z]{4}(-[0-9A-Z]{4}){3}\b/g) ?? []
  expect(codes).toHaveLength(2)
  await expect(row.getByRole('button', { name: '下载文件' })).toBeHidden()

  const redeem = async (code: string) => {
    await page.getByRole('button', { name: '兑换卡密' }).first().click()
    const dialog = page.getByRole('dialog', { name: '兑换卡密' })
    await dialog.getByLabel('卡密').fill(code)
    await dialog.getByLabel('序列号').fill(sn)
    await dialog.getByRole('button', { name: '兑换', exact: true }).click()
    return dialog
  }
  await expect(await redeem(codes[0]!)).toBeHidden()
  const again = await redeem(codes[0]!)
  await expect(again.getByText('卡密无效或已使用')).toBeVisible()
  await again.getByRole('button', { name: '取消' }).click()
  await page.getByRole('dialog', { name: '放弃未保存的内容' }).getByRole('button', { name: '放弃' }).click()
  await expect(again).toBeHidden()

  await row.getByRole('button', { name: '作废' }).click()
  const voiding = page.getByRole('dialog', { name: /^作废批次/ })
  await voiding.getByLabel('原因').fill('代理商遗失')
  await voiding.getByRole('button', { name: '确认作废' }).click()
  await expect(voiding).toBeHidden()
  await page.getByText('卡密明细', { exact: true }).click()
  await page.getByRole('textbox', { name: '序列号' }).fill(sn)
  await page.getByRole('button', { name: '查询' }).click()
  await expect(page.getByRole('row', { name: new RegExp(sn) })).toContainText('已使用')
  const records = page.getByRole('tab', { name: '开通记录' })
  await records.click()
  await expect(records).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('textbox', { name: '序列号' }).fill(sn)
  await page.getByRole('button', { name: '查询' }).click()
  await expect(page.getByRole('row', { name: new RegExp(sn) })).toContainText('卡密')
})

test('STORAGE-10 a shop is connected, sells a package, and support refunds the order', async ({
  page,
  login,
  api,
  accessible,
  baseURL,
}) => {
  const { sn, code } = await cameraAndPackage(await api())
  const [shop, outOrderNo] = [fresh('商城'), fresh('S')]
  await login()
  await page.goto('/ossManage/deviceList')
  await page.getByRole('tab', { name: '回调与密钥' }).click()
  await page.getByRole('button', { name: '新增商城' }).first().click()
  const form = page.getByRole('dialog', { name: '新增商城' })
  await form.getByLabel('商城名称').fill(shop)
  await accessible()
  await form.getByRole('button', { name: '保存' }).click()
  const shown = page.getByRole('dialog', { name: '回调密钥' })
  const secret = /whsec_[\w-]{43}/.exec((await shown.textContent()) ?? '')?.[0] ?? ''
  expect(secret).not.toBe('')
  await shown.getByRole('button', { name: '我已保存' }).click()
  const row = page.getByRole('row', { name: new RegExp(shop) })
  const address = /\/api\/v1\/oss\/hook\/\d+/.exec((await row.textContent()) ?? '')?.[0] ?? ''
  await accessible()

  const item = { line: 1, sn, channel: 0, packageCode: code, copies: 1, amount: 2900, effectMode: 1 }
  const send = async (type: string, refunds: object[] = []) => {
    const time = Math.floor(Date.now() / 1000)
    const data = { outOrderNo, amount: 2900, items: [item], refunds }
    const body = JSON.stringify({ id: fresh('ev'), type, time, data })
    const v1 = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
    const headers = { 'content-type': 'application/json', 'x-oms-signature': `t=${time},v1=${v1}` }
    return (await fetch(`${baseURL}${address}`, { method: 'POST', headers, body })).status
  }
  expect(await send('order.paid')).toBe(200)
  await page.getByRole('tab', { name: '订单' }).click()
  await page.getByRole('textbox', { name: '商城订单号' }).fill(outOrderNo)
  await page.getByRole('button', { name: '查询' }).click()
  const order = page.getByRole('row', { name: new RegExp(outOrderNo) })
  await expect(order).toContainText('已支付')
  await accessible()

  await order.getByRole('button', { name: '详情' }).click()
  const drawer = page.getByRole('dialog', { name: `订单 ${outOrderNo}` })
  await drawer.getByRole('button', { name: '申请退款' }).click()
  const request = page.getByRole('dialog', { name: '申请退款' })
  await request.getByLabel('退款金额').fill('30')
  await request.getByLabel('原因').fill('用户退货')
  await request.getByRole('button', { name: '提交申请' }).click()
  await expect(request.getByText('退款金额不能超过可退金额29.00元')).toBeVisible()
  await request.getByLabel('退款金额').fill('20')
  await request.getByRole('button', { name: '提交申请' }).click()
  await expect(request).toBeHidden()
  await expect(drawer).toContainText('待处理')
  await accessible()

  expect(await send('order.refunded', [{ outRefundNo: fresh('R'), amount: 2000 }])).toBe(200)
  await expect(drawer).toContainText('部分退款')
  await drawer.getByRole('button', { name: '登记线下退款' }).first().click()
  const record = page.getByRole('dialog', { name: '登记线下退款' })
  await record.getByLabel('退款单号').fill(fresh('BANK'))
  await record.getByLabel('退款金额').fill('9')
  await record.getByLabel('原因').fill('补退余款')
  await record.getByRole('button', { name: '登记', exact: true }).click()
  await expect(record).toBeHidden()
  await expect(drawer).toContainText('已退款')
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  await expect(order).toContainText('已退款')
})
