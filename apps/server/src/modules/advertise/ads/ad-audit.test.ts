import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { findApprovalBreaches } from '../invariants.ts'
import { readApprovedAds } from '../content.ts'
import { useApp } from '#test/harness.ts'
import {
  formatDayFromToday,
  AD_AUDITOR,
  AD_EDITOR,
  AD_URL,
  createPicture,
  useAdStaff,
} from '#test/fixtures/program-fixture.ts'

/** Bytes that begin like an MP4 file. */
const MP4_HEAD = Buffer.concat([
  Buffer.from('\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41', 'latin1'),
  Buffer.alloc(600),
])

const app = useApp()
const ads = useAdStaff(app)
const { textAd, submit, decide, read } = ads

describe('AD-03 review by a second person', () => {
  test('AD-03 only approved content is played, and an edit is played after its own approval', async () => {
    const [author, auditor] = [await ads.editor('投放客户'), await ads.auditor('投放客户')]
    const id = await textAd(author)
    const playing = async () => (await readApprovedAds(app.db, [id])).get(id)
    expect(await submit(author, id)).toMatchObject({ code: 200, msg: '已提交审核' })
    expect(await playing()).toBeUndefined()
    const [first] = (await author.call('GET', `${AD_URL}/${id}/versions`)).data.list
    expect(await decide(auditor, id, first)).toMatchObject({ code: 200, msg: '审核完成' })
    expect(await playing()).toMatchObject({ ad: { verNo: 1, text: { content: '全场八折' } }, durationMs: 10_000 })
    expect((await playing())?.ad).not.toHaveProperty('review')

    const edited = {
      adName: '开业大吉',
      adType: 4,
      text: { content: '全场七折' },
      id,
      rev: (await read(author, id)).rev,
    }
    expect(await author.call('PUT', AD_URL, edited)).toMatchObject({ code: 200, data: { auditStatus: 0 } })
    expect(await playing()).toMatchObject({ ad: { verNo: 1, text: { content: '全场八折' } } })
    const { data: second } = await submit(author, id)
    expect(second).toMatchObject({ verNo: 2, hasAuditor: true })
    await decide(auditor, id, second)
    expect(await playing()).toMatchObject({ ad: { verNo: 2, text: { content: '全场七折' } } })
    expect(await read(author, id)).toMatchObject({ auditStatus: 2, approvedVer: 2 })
  })

  test('AD-03 restoring the approved content needs no new review, and disabling an ad stops its plays', async () => {
    const [author, auditor] = [await ads.editor('还原客户'), await ads.auditor('还原客户')]
    const id = await textAd(author)
    await decide(auditor, id, (await submit(author, id)).data)
    const save = async (content: string) => {
      const { rev } = await read(author, id)
      return author.call('PUT', AD_URL, { adName: '开业大吉', adType: 4, text: { content }, id, rev })
    }
    expect((await save('全场七折')).data.auditStatus).toBe(0)
    expect((await save('全场八折')).data.auditStatus).toBe(2)
    expect(await submit(author, id)).toMatchObject({ msg: '广告内容未变更，无须重新提交' })
    await author.call('POST', `${AD_URL}/disable/${id}`)
    expect((await readApprovedAds(app.db, [id])).size).toBe(0)
  })

  test('AD-03 neither the submitter nor an uploader of the files can approve an ad', async () => {
    const both = await app.by({ tenant: '自审客户', permissions: [...new Set([...AD_EDITOR, ...AD_AUDITOR])] })
    const id = await textAd(both)
    expect(await read(both, id)).toMatchObject({ auditRefusal: '' })
    const { data } = await submit(both, id)
    expect(data.hasAuditor).toBe(false)
    expect(await decide(both, id, data)).toMatchObject({ code: 501, msg: '不能审核自己提交的广告，请由另一人审核' })
    expect(await read(both, id)).toMatchObject({ auditRefusal: '不能审核自己提交的广告，请由另一人审核' })

    const { fileId } = await ads.material(both, 'adImage', '海报.jpg', await createPicture())
    const author = await ads.editor('自审客户')
    const image = await author.call('POST', AD_URL, { adName: '海报', adType: 1, materials: [{ fileId }] })
    const version = (await submit(author, image.data.id)).data
    expect(version.hasAuditor).toBe(false)
    expect(await decide(both, image.data.id, version)).toMatchObject({ code: 501, msg: '素材由您上传，请由另一人审核' })
    expect(await read(both, image.data.id)).toMatchObject({ auditRefusal: '素材由您上传，请由另一人审核' })
    expect(await read(await ads.auditor('自审客户'), image.data.id)).toMatchObject({ auditRefusal: '' })
    expect(await decide(await ads.auditor('自审客户'), image.data.id, version)).toMatchObject({ code: 200 })
  })

  test('AD-03 the uploader of a cover or proof cannot approve the ad, and the cover is part of the content hash', async () => {
    const both = await app.by({ tenant: '封面客户', permissions: [...new Set([...AD_EDITOR, ...AD_AUDITOR])] })
    const author = await ads.editor('封面客户')
    const { data: video } = await ads.send(author, 'adVideo', '片.mp4', MP4_HEAD)
    const { data: cover } = await ads.send(both, 'adPoster', '封面.jpg', await createPicture())
    await app.db.execute(sql`update ad_materials set probe_state = 1, duration_ms = 3000 where file_id = ${video.id}`)
    const made = await author.call('POST', AD_URL, {
      adName: '片',
      adType: 2,
      materials: [{ fileId: video.id, posterId: cover.id }],
    })
    const { data: version } = await submit(author, made.data.id)
    expect(await decide(both, made.data.id, version)).toMatchObject({ code: 501, msg: '素材由您上传，请由另一人审核' })
    const auditor = await ads.auditor('封面客户')
    const { data: other } = await ads.send(author, 'adPoster', '另一封面.jpg', await createPicture(320, 180))
    await app.db.execute(sql`update ad_materials set poster_file_id = ${other.id} where file_id = ${video.id}`)
    expect(await decide(auditor, made.data.id, version)).toMatchObject({ msg: '广告内容已变更，请刷新后重新审核' })
    await app.db.execute(sql`update ad_materials set poster_file_id = ${cover.id} where file_id = ${video.id}`)
    expect(await decide(auditor, made.data.id, version)).toMatchObject({ code: 200 })

    const { data: proof } = await ads.send(both, 'adProof', '证明.jpg', await createPicture())
    const id = await textAd(author, { proofs: [proof.id] })
    const { data: proved } = await submit(author, id)
    expect(await decide(both, id, proved)).toMatchObject({ msg: '素材由您上传，请由另一人审核' })
  })

  test('AD-03 an approval is refused when the content changed after the auditor read it', async () => {
    const [author, auditor] = [await ads.editor('变更客户'), await ads.auditor('变更客户')]
    const id = await textAd(author)
    const { data: seen } = await submit(author, id)
    const { rev } = await read(author, id)
    const change = { adName: '开业大吉', adType: 4, text: { content: '假冒内容' }, id }
    expect(await author.call('PUT', AD_URL, { ...change, rev })).toMatchObject({
      msg: '广告已提交审核，请先撤回再修改',
    })
    await author.call('POST', `${AD_URL}/withdraw/${id}`)
    await author.call('PUT', AD_URL, { ...change, rev: rev + 1 })
    const { data: now } = await submit(author, id)
    expect(await decide(auditor, id, seen)).toMatchObject({ code: 501, msg: '广告内容已变更，请刷新后重新审核' })
    const swapped = { verNo: now.verNo, contentHash: seen.contentHash }
    expect(await decide(auditor, id, swapped)).toMatchObject({ msg: '广告内容已变更，请刷新后重新审核' })
    // A content that was changed by SQL is not approved either.
    await app.db.execute(sql`update ads set text = jsonb_set(text, '{content}', '"换掉"') where id = ${id}`)
    expect(await decide(auditor, id, now)).toMatchObject({ msg: '广告内容已变更，请刷新后重新审核' })
  })

  test('AD-03 a rejection requires a remark and an approval every checklist point; both notify the author', async () => {
    const [author, auditor] = [await ads.editor('要点客户'), await ads.auditor('要点客户')]
    const id = await textAd(author)
    const { data } = await submit(author, id)
    expect(await decide(auditor, id, data, { checks: ['truthful'] })).toMatchObject({ msg: '请勾选全部审核要点' })
    expect(await decide(auditor, id, data, { auditStatus: 3 })).toMatchObject({ msg: '请填写驳回原因' })
    expect(await decide(auditor, id, data, { auditStatus: 3, remark: '字号太小' })).toMatchObject({ code: 200 })
    expect(await read(author, id)).toMatchObject({ auditStatus: 3, auditRemark: '字号太小' })
    const listed = async () => (await author.call('GET', `${AD_URL}/page`)).data.list
    expect(await listed()).toMatchObject([{ id, auditStatus: 3, auditRemark: '字号太小' }])
    const { rows } = await app.db.execute(sql`select title from notices where ${author.uid} = any(target_ids)`)
    expect(rows).toEqual([{ title: '广告已驳回：开业大吉' }])
    expect(await decide(auditor, id, data)).toMatchObject({ msg: '广告未提交审核' })
  })

  test('AD-03 exactly one of 50 simultaneous decisions on an ad takes effect', async () => {
    const [author, auditor] = [await ads.editor('同时客户'), await ads.auditor('同时客户')]
    const id = await textAd(author)
    const { data } = await submit(author, id)
    const rejection = { auditStatus: 3, remark: '同时驳回' }
    const verdicts = await Promise.all(
      Array.from({ length: 50 }, (_, at) => decide(auditor, id, data, at % 2 === 0 ? {} : rejection)),
    )
    expect(verdicts.filter(({ code }) => code === 200)).toHaveLength(1)
    expect(new Set(verdicts.filter(({ code }) => code !== 200).map(({ msg }) => msg))).toEqual(
      new Set(['广告未提交审核']),
    )
    const { auditStatus, approvedVer } = await read(author, id)
    expect([`2,1`, `3,0`]).toContain(`${auditStatus},${approvedVer}`)
    const { rows } = await app.db.execute(sql`select title from notices where ${author.uid} = any(target_ids)`)
    expect(rows).toHaveLength(1)
  })

  test('AD-02 an ad in a category with mandatory approval needs approval number, date and proof to be submitted', async () => {
    const author = await ads.editor('文号客户')
    const id = await textAd(author, { categoryId: 12 })
    expect(await submit(author, id)).toMatchObject({ msg: '该类广告须填写广告批准文号、有效期并上传证明文件' })
  })

  test('AD-03 the database check reports ads whose playing version was not approved in its present state', async () => {
    const [author, auditor] = [await ads.editor('核对客户'), await ads.auditor('核对客户')]
    const id = await textAd(author)
    await decide(auditor, id, (await submit(author, id)).data)
    const breaches = async () =>
      (await findApprovalBreaches(app.services.database.pool)).filter((each) => each.startsWith(`ad ${id},`))
    expect(await breaches()).toEqual([])
    const change = (columns: string) =>
      app.db.execute(sql`update ad_versions set ${sql.raw(columns)} where ad_id = ${id}`)
    await change(`uploaders = array[audit_by]`)
    expect(await breaches()).toEqual([`ad ${id}, version 1: approved by its submitter or an uploader`])
    await change(`uploaders = '{}', body = jsonb_set(body, '{text,content}', '"换掉"')`)
    expect(await breaches()).toEqual([`ad ${id}, version 1: content differs from the approved content`])
    await change('audit_status = 3')
    expect(await breaches()).toEqual([`ad ${id}, version 1: not approved`])
  })

  test('AD-03 an approved ad expires after its last valid day or the last day of its official approval number', async () => {
    const [author, auditor] = [await ads.editor('到期客户'), await ads.auditor('到期客户')]
    const id = await textAd(author, { validTo: formatDayFromToday(0) })
    await decide(auditor, id, (await submit(author, id)).data)
    const found = async (query: string) => (await author.call('GET', `${AD_URL}/page?${query}`)).data.total
    const state = async () => [(await read(author, id)).isExpired, await found('validity=3'), await found('usable=1')]
    expect(await state()).toEqual([false, 0, 1])
    const set = (validTo: string | null, approvalUntil: string | null) =>
      app.db.execute(sql`update ads set valid_to = ${validTo}, approval_until = ${approvalUntil} where id = ${id}`)
    await set(formatDayFromToday(-1), null)
    expect(await state()).toEqual([true, 1, 0])
    await set(null, formatDayFromToday(0))
    expect(await state()).toEqual([false, 0, 1])
    await set(formatDayFromToday(5), formatDayFromToday(-1))
    expect(await state()).toEqual([true, 1, 0])
    await set(null, null)
    expect(await state()).toEqual([false, 0, 1])
  })

  test('AD-03 the platform reviews ads of tenants with 平台审核; other tenants review their own ads', async () => {
    const author = await ads.editor('平台审核客户')
    const [own, platform] = [await ads.auditor('平台审核客户'), await app.as(...AD_AUDITOR)]
    const id = await textAd(author)
    const { data } = await submit(author, id)
    expect(await decide(platform, id, data)).toMatchObject({ msg: '该客户的广告由客户自行审核' })
    await app.db.execute(sql`update tenants set ad_platform_audit = 1 where name = '平台审核客户'`)
    expect(await decide(own, id, data)).toMatchObject({ msg: '该客户的广告由平台审核' })
    expect(await decide(platform, id, data)).toMatchObject({ code: 200 })
    const other = await ads.auditor('别的客户')
    expect(await decide(other, id, data)).toMatchObject({ msg: '广告不存在或已被删除' })
  })
})
