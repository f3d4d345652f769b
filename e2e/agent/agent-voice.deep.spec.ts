import type { Page } from '@playwright/test'
import { startVoiceprintService, wavOf } from '../../apps/server/test/clients/voiceprint-service.ts'
import { expect, test } from '../support/fixtures.ts'
import { connected } from '../support/fleet.ts'
import { type Api, fresh } from '../support/people.ts'
import { pick } from '../support/pick.ts'
import { addTalkingAgent, newMac, openVoiceServer } from './voice-side.ts'

interface Choices {
  readonly models: readonly { readonly id: number; readonly providerCode: string }[]
}
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

/** Creates an agent that keeps words, recordings and one memory of all devices, with a bound device. */
async function addAgent(admin: Api, agentName: string) {
  const id = await addTalkingAgent(admin, agentName)
  const form = await admin.call<object>('GET', `/api/v1/agent/list/${id}`)
  const { models } = await admin.call<Choices>('GET', '/api/v1/agent/list/choices')
  const memId = models.find(({ providerCode }) => providerCode === 'mem_local_short')!.id
  await admin.call('PUT', '/api/v1/agent/list', { ...form, memId, memoryScope: 2, chatHistoryConf: 2, note: '' })
  const mac = newMac()
  await admin.call('POST', '/api/v1/agent/device/bindMac', { agentId: id, mac, alias: '' })
  return { id, mac }
}

test('AGENT-09 a conversation is found by its text, opened with its recording and erased; a memory is edited and erased', async ({
  page,
  login,
  api,
  baseURL,
  accessible,
}) => {
  const admin = await api()
  const agent = await addAgent(admin, fresh('记录'))
  const server = await openVoiceServer(admin, baseURL)
  const session = fresh('s')
  const time = Date.now()
  const said = { mac: agent.mac, session }
  await server.report({ ...said, kind: 1, content: '明天要带伞吗', time, audio: wavOf(7) })
  await server.report({ ...said, kind: 2, content: '明天有雨，记得带伞。', time: time + 900 })
  await login()
  await page.goto(`/agent/agent/detail/${agent.id}`)
  await page.getByRole('tab', { name: '对话', exact: true }).click()
  await page.getByRole('button', { name: '查看', exact: true }).click()
  const drawer = page.locator('.ant-drawer').filter({ hasText: '查看对话会记入操作日志' })
  await expect(drawer.getByRole('listitem')).toContainText(['明天要带伞吗', '明天有雨，记得带伞。'])
  await drawer.getByRole('button', { name: '播放 1 秒' }).click()
  await expect(drawer.getByLabel('录音')).toHaveAttribute('src', /^blob:/)
  await accessible()
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  const search = page.getByPlaceholder('查找标题和说过的话')
  await search.fill('有雨')
  await search.press('Enter')
  await expect(page.getByRole('status').filter({ hasText: '有雨' })).toContainText('找到 1 次含“有雨”的对话')
  await search.fill('大雪')
  await search.press('Enter')
  await expect(page.getByRole('status').filter({ hasText: '大雪' })).toContainText('找到 0 次')
  await search.fill('')
  await search.press('Enter')
  await page.getByRole('button', { name: '清除', exact: true }).click()
  const confirm = page.getByRole('dialog').filter({ hasText: '清除这次对话的文字和录音，不能恢复。用量不减少。' })
  await confirm.getByRole('button', { name: /^清\s*除$/ }).click()
  await expect(page.getByText('还没有对话，设备说话后会出现在这里')).toBeVisible()

  await page.getByRole('tab', { name: '记忆' }).click()
  await expect(page.getByText('该智能体的全部设备共用这份记忆。')).toBeVisible()
  await page.getByRole('textbox', { name: '记忆' }).fill('用户住在海边，喜欢晴天')
  await page.getByRole('button', { name: /^保\s*存$/ }).click()
  await server.start()
  await expect.poll(async () => (await server.connect(agent.mac, 'c')).summaryMemory).toBe('用户住在海边，喜欢晴天')
  await page.getByRole('button', { name: '清除记忆' }).click()
  const erase = page.getByRole('dialog').filter({ hasText: '清除记忆？' })
  await erase.getByRole('button', { name: /^清\s*除$/ }).click()
  await expect(page.getByRole('textbox', { name: '记忆' })).toHaveValue('')
  await expect.poll(async () => (await server.connect(agent.mac, 'c')).summaryMemory ?? '').toBe('')
})

test('AGENT-10 a speaker is enrolled from a recorded turn and tested against the thresholds of the browser', async ({
  page,
  login,
  api,
  baseURL,
  putBack,
  accessible,
}) => {
  const admin = await api()
  const service = await startVoiceprintService()
  const sheet = await admin.call<{ list: { code: string; rev: number }[] }>('GET', '/api/v1/agent/params')
  const { rev } = sheet.list.find(({ code }) => code === 'server.voice_print')!
  putBack(async (undo) => {
    await undo.call('DELETE', '/api/v1/agent/params', { code: 'server.voice_print' })
    await service.close()
  })
  const value = service.address()
  await admin.call('PUT', '/api/v1/agent/params', { code: 'server.voice_print', value, remark: '', rev })
  const name = fresh('声纹')
  const agent = await addAgent(admin, name)
  const server = await openVoiceServer(admin, baseURL)
  const session = fresh('s')
  for (const [content, voice] of [
    ['我是妈妈', 10],
    ['妈妈又说了一句', 12],
    ['有点像妈妈', 35],
    ['我是客人', 90],
  ] as const)
    await server.report({ mac: agent.mac, session, kind: 1, content, time: Date.now() - voice, audio: wavOf(voice) })
  await login()
  await page.goto('/agent/voiceprint')
  const enrol = async (speaker: string, turn: string) => {
    await page.getByRole('button', { name: '登记声纹' }).first().click()
    const form = page.getByRole('dialog', { name: '登记声纹' })
    await pick(form.getByLabel('智能体'), name)
    await form.getByLabel('姓名').fill(speaker)
    await form.getByRole('radio', { name: turn }).check()
    await form.getByRole('button', { name: /登\s*记$/ }).click()
    return form
  }
  const first = await enrol('妈妈', '我是妈妈')
  await expect(first).toBeHidden()
  await expect(row(page, name)).toContainText('妈妈')
  const second = await enrol('阿姨', '妈妈又说了一句')
  await expect(second.locator('.ant-form-item-explain-error')).toContainText('妈妈')
  await second.getByRole('button', { name: /^取\s*消$/ }).click()
  await page.getByRole('dialog', { name: '放弃未保存的内容' }).getByRole('button', { name: '放弃' }).click()
  await expect(second).toBeHidden()

  const compare = async (turn: string) => {
    await page.goto('/agent/voiceprint')
    await page
      .getByRole('button', { name: /测\s*试$/ })
      .first()
      .click()
    const drawer = page.getByRole('dialog', { name: '测试声纹' })
    await pick(drawer.getByRole('combobox'), name)
    await drawer.getByRole('radio', { name: turn }).check()
    await drawer.getByRole('button', { name: '测试所选语音' }).click()
    return drawer.getByRole('region', { name: '测试结果' }).getByRole('listitem').filter({ hasText: '妈妈' })
  }
  await expect(await compare('妈妈又说了一句')).toContainText('高')
  await accessible()
  await expect(await compare('有点像妈妈')).toContainText('中')
  await expect(await compare('我是客人')).toContainText('不相似')
  await page.evaluate(() => localStorage.setItem('similarityHigh', '50'))
  await expect(await compare('有点像妈妈')).toContainText('高')
})

test('AGENT-10 the list of clones shows the state of each training and the reason of a failure', async ({
  page,
  login,
  accessible,
}) => {
  const name = fresh('克隆')
  const client = await connected()
  await client.query(
    `insert into agent_voice_clones (tenant_id, model_id, name, voice_id, seconds, state, error, consent_speaker, consent_time)
     select 1, (select min(id) from agent_models where provider_code = 'huoshan_double_stream'), $1 || s, 'S_' || $1 || s, 20, s,
       case s when 3 then '录音太吵，请重新录制' else '' end, '本人', now() from generate_series(0, 3) s`,
    [name],
  )
  await client.end()
  await login()
  await page.goto('/agent/voice')
  await page.getByRole('tab', { name: '克隆' }).click()
  for (const [state, text] of ['等待训练', '训练中', '已完成', '失败'].entries())
    await expect(row(page, `${name}${state}`).first()).toContainText(text)
  await expect(row(page, `${name}3`).first()).toContainText('录音太吵，请重新录制')
  await expect(row(page, `${name}3`).getByRole('button', { name: '重新训练' })).toBeVisible()
  await expect(row(page, `${name}2`).getByRole('button', { name: '重新训练' })).toHaveCount(0)
  await accessible()
})

test('AGENT-06 a template is created from an agent, previewed and deleted; a parameter is set and reset', async ({
  page,
  login,
  api,
  putBack,
  accessible,
}) => {
  const admin = await api()
  const agentName = fresh('原型')
  const { id } = await admin.call<{ id: number }>('POST', '/api/v1/agent/list', { agentName })
  const form = await admin.call<object>('GET', `/api/v1/agent/list/${id}`)
  const systemPrompt = `你是${agentName}的讲解员`
  await admin.call('PUT', '/api/v1/agent/list', { ...form, systemPrompt, note: '' })
  await login()
  await page.goto('/agent/template')
  await page.getByRole('button', { name: '由智能体创建' }).click()
  const make = page.getByRole('dialog', { name: '由智能体创建模板' })
  const templateName = fresh('模板')
  await pick(make.getByLabel('智能体'), agentName)
  await make.getByLabel('模板名称').fill(templateName)
  await make.getByLabel('排序').fill('9000')
  await make.getByRole('button', { name: /^(保\s*存|确\s*定)$/ }).click()
  await expect(make).toBeHidden()
  await page.goto(`/agent/template?templateName=${encodeURIComponent(templateName)}`)
  await row(page, templateName).getByRole('button', { name: '预览' }).click()
  await expect(page.getByRole('dialog')).toContainText(systemPrompt)
  await accessible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
  await row(page, templateName).getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: '删除' }).click()
  const confirm = page.getByRole('dialog').filter({ hasText: '由它创建的智能体不受影响' })
  await confirm.getByRole('button', { name: /^删\s*除$/ }).click()
  await expect(row(page, templateName)).toHaveCount(0)

  putBack((undo) => undo.call('DELETE', '/api/v1/agent/params', { code: 'tts_timeout' }).catch(() => {}))
  await page.goto('/agent/params')
  const line = row(page, 'tts_timeout')
  await expect(line).toContainText('默认')
  await line.getByRole('button', { name: '修改' }).click()
  const edit = page.getByRole('dialog', { name: '修改 tts_timeout' })
  await edit.getByLabel('参数值').fill('0')
  await edit.getByLabel('备注').fill('机房较远')
  await expect(edit).toContainText('应在 1 到 86400 之间')
  await edit.getByLabel('参数值').fill('15')
  await edit.getByRole('button', { name: /^保\s*存$/ }).click()
  await expect(edit).toBeHidden()
  await expect(line).toContainText('15')
  await expect(line).toContainText('自有')
  await line.getByRole('button', { name: '恢复默认' }).click()
  const reset = page.getByRole('dialog').filter({ hasText: '删除 tts_timeout 的自有值' })
  await reset.getByRole('button', { name: '恢复默认' }).click()
  await expect(line).toContainText('默认')
  await expect(line).not.toContainText('15')
})

test('AGENT-06 a voice with a sample is created and used by an agent, and then cannot be deleted', async ({
  page,
  login,
  api,
}) => {
  const admin = await api()
  const { id } = await admin.call<{ id: number }>('POST', '/api/v1/agent/list', { agentName: fresh('音色') })
  const form = await admin.call<{ ttsId: number }>('GET', `/api/v1/agent/list/${id}`)
  const { list } = await admin.call<{ list: { id: number; code: string }[] }>('GET', '/api/v1/agent/config/options', {
    type: 'TTS',
  })
  const { code } = list.find((each) => each.id === form.ttsId)!
  const name = fresh('音色').slice(0, 20)
  await login()
  await page.goto('/agent/voice')
  await page.getByRole('button', { name: '新增音色' }).first().click()
  const add = page.getByRole('dialog', { name: '新增音色' })
  await pick(add.getByLabel('语音合成模型'), code)
  await add.getByLabel('音色名称').fill(name)
  await add.getByLabel('音色编码').fill(fresh('zh-CN-'))
  await add.getByLabel('语言').fill('普通话')
  await add.locator('input[type="file"]').setInputFiles({ name: '试听.wav', mimeType: 'audio/wav', buffer: wavOf(5) })
  await expect(add.getByText('试听.wav')).toBeVisible()
  await add.getByRole('button', { name: /^保\s*存$/ }).click()
  await expect(add).toBeHidden()
  await page.goto(`/agent/voice?name=${encodeURIComponent(name)}`)
  const played = page.waitForResponse((response) => response.headers()['content-type']?.startsWith('audio/') === true)
  await row(page, name)
    .getByRole('button', { name: `播放 ${name}` })
    .click()
  expect((await played).ok()).toBe(true)
  const voices = await admin.call<{ list: { id: number }[] }>('GET', '/api/v1/agent/voice/page', { name })
  await admin.call('PUT', '/api/v1/agent/list', { ...form, voiceId: voices.list[0]!.id, note: '' })
  await page.reload()
  await expect(row(page, name)).toContainText('1 个')
  await row(page, name).getByRole('button', { name: '更多' }).click()
  await expect(page.getByRole('menuitem', { name: '删除' })).toBeDisabled()
})
