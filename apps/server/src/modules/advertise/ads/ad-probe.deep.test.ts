import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { probeImage } from './probe-media.ts'
import { createZip } from '../wire/smil/text-widget.ts'
import { encodeFile, withoutFfmpeg } from '#test/clients/ffmpeg.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { AD_URL, createPicture, useAdStaff } from '#test/fixtures/program-fixture.ts'

const app = useApp()
const ads = useAdStaff(app)
const folder = mkdtempSync(join(tmpdir(), 'oms-ad-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Returns a black PNG of one bit a pixel. Large pictures are cut after 1 MB of rows. */
function grayPng(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  const rows = Buffer.alloc(Math.min((Math.ceil(width / 8) + 1) * height, 1_000_000))
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...parts])
}

let author: Caller
beforeAll(async () => {
  author = await ads.editor('素材客户')
})

describe('AD-02 pictures', () => {
  test('AD-02 probing a picture reads its size after EXIF rotation, computes the hash and creates a thumbnail', async () => {
    const content = await createPicture(640, 360, 6)
    const found = await ads.material(author, 'adImage', '竖屏.jpg', content)
    expect(found).toMatchObject({ probeState: 1, mime: 'image/jpeg', width: 360, height: 640, sha256: sha256(content) })
    const thumb = await author.inject({ url: found.thumbUrl })
    expect(await sharp(thumb.rawPayload).metadata()).toMatchObject({ format: 'webp', width: 270, height: 480 })
  })

  test.each([
    [
      'a cut file',
      '图.png',
      async () =>
        (
          await sharp(await createPicture())
            .png()
            .toBuffer()
        ).subarray(0, 500),
      '无法识别图片，请检查文件是否完整!',
    ],
    [
      'a broken webp',
      '图.webp',
      async () =>
        Buffer.concat([
          (
            await sharp(await createPicture())
              .webp()
              .toBuffer()
          ).subarray(0, 60),
          Buffer.alloc(200, 7),
        ]),
      '无法识别图片，请检查文件是否完整!',
    ],
  ])('AD-13 the reason is stored when an uploaded picture is %s', async (_, name, make, reason) => {
    expect(await ads.material(author, 'adImage', name, await make())).toMatchObject({
      probeState: 2,
      probeError: reason,
    })
  })

  test('AD-13 a picture with more than 40 million pixels in its header is refused before decoding', async () => {
    const bomb = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#000' } })
      .png()
      .toBuffer()
    bomb.writeUInt32BE(65_000, 16)
    bomb.writeUInt32BE(65_000, 20)
    expect(await ads.send(author, 'adImage', '炸弹.png', bomb)).toMatchObject({
      msg: '图片像素过大，请压缩后重新上传!',
    })
  })

  test('AD-13 a picture with a side above 16,383 pixels is refused, whatever its number of pixels', async () => {
    const side = '图片宽度和高度不能超过16383像素，请裁剪后重新上传!'
    for (const [width, height] of [
      [1, 40_000_000],
      [40_000_000, 1],
      [16_384, 1],
    ] as const)
      expect(await ads.send(author, 'adImage', '长.png', grayPng(width, height))).toMatchObject({ msg: side })
    expect((await ads.send(author, 'adImage', '长.png', grayPng(1, 40_000_001))).msg).toBe(
      '图片像素过大，请压缩后重新上传!',
    )
    expect(await ads.material(author, 'adImage', '边.png', grayPng(2, 16_383))).toMatchObject({
      probeState: 1,
      width: 2,
      height: 16_383,
    })
    // The size of a JPEG behind long metadata is unknown at the upload.
    const path = join(folder, 'line.png')
    writeFileSync(path, grayPng(1, 40_000_000))
    await expect(probeImage(path, join(folder, 'thumb.webp'))).rejects.toThrow(side)
  })

  test('AD-02 a save that removes all files of an ad is refused until the removal is confirmed', async () => {
    const { fileId } = await ads.material(author, 'adImage', '图.jpg', await createPicture())
    const fields = { adName: '保留素材', adType: 1 }
    const { data } = await author.call('POST', AD_URL, { ...fields, materials: [{ fileId }] })
    const save = async (more: object) => {
      const { id, rev } = await ads.read(author, data.id)
      return author.call('PUT', AD_URL, { ...fields, id, rev, ...more })
    }
    const refused = { code: 400, msg: '保存将移除该广告的全部素材，请确认后再保存' }
    for (const removal of [{}, { materials: [] }, { adType: 4, text: { content: '字' } }])
      expect(await save(removal)).toMatchObject(refused)
    expect((await ads.read(author, data.id)).materials).toMatchObject([{ fileId }])
    expect(await save({ materials: [], confirmRemoval: 1 })).toMatchObject({ code: 200 })
    expect((await ads.read(author, data.id)).materials).toEqual([])
    expect(await save({ contractNo: 'HT-3' })).toMatchObject({ code: 200 })
  })

  test('AD-13 a file with the extension of a picture but other content is refused', async () => {
    const html = Buffer.from('<html><script>alert(1)</script></html>'.padEnd(600))
    expect(await ads.send(author, 'adImage', '图.webp', html)).toMatchObject({ code: 400 })
    expect(await ads.send(author, 'adVideo', '片.mp4', html)).toMatchObject({ code: 400 })
    expect(await ads.send(author, 'adPackage', '包.zip', html)).toMatchObject({ code: 400 })
    expect(await ads.send(author, 'adImage', '动.gif', html)).toMatchObject({ code: 400 })
  })

  test('AD-13 a file must match its extension and first bytes, and a file of two formats is never sent as a web page', async () => {
    const zip = createZip([{ name: 'index.html', bytes: Buffer.from('<script>alert(1)</script>') }])
    const html = Buffer.from('<html><script>alert(1)</script></html>')
    const picture = await createPicture()
    const refused = [
      ['adPackage', '包.zip', Buffer.concat([picture, zip])],
      ['adPackage', '包.zip', Buffer.concat([html, zip])],
      ['adImage', '图.jpg', Buffer.concat([zip, picture])],
      ['adImage', '图.png', Buffer.concat([html, picture])],
      ['adImage', '图.png', picture],
      ['adVideo', '片.mp4', Buffer.concat([html, Buffer.alloc(600)])],
    ] as const
    for (const [purpose, name, content] of refused)
      expect([name, (await ads.send(author, purpose, name, content)).code]).toEqual([name, 400])
    const both = Buffer.concat([picture, html, zip])
    const found = await ads.material(author, 'adImage', '图.jpg', both)
    expect(found).toMatchObject({ probeState: 1, mime: 'image/jpeg', width: 640 })
    for (const url of [`/api/v1/file/${found.fileId}`, found.thumbUrl]) {
      const { headers } = await author.inject({ url })
      expect(headers['content-type']).toMatch(/^image\/(jpeg|webp)$/)
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      })
    }
    // A package with bytes before its first entry is no package, and its page has no script of the other format.
    const behind = await ads.material(author, 'adPackage', '包.zip', Buffer.concat([zip, picture]))
    expect(behind).toMatchObject({ probeState: 2, probeError: '素材包内容不正确，请重新打包' })
  })

  test('AD-02 an ad can be submitted only after its files were probed', async () => {
    const { data } = await ads.send(author, 'adImage', '等待.jpg', await createPicture())
    const made = await author.call('POST', AD_URL, { adName: '等待', adType: 1, materials: [{ fileId: data.id }] })
    expect(await ads.submit(author, made.data.id)).toMatchObject({ msg: '素材正在解析，请稍后提交' })
    await ads.readFiles()
    expect(await ads.submit(author, made.data.id)).toMatchObject({ code: 200 })
    expect((await ads.read(author, made.data.id)).thumbUrl).toMatch(/^\/api\/v1\/file\//)
    const empty = await author.call('POST', AD_URL, { adName: '空', adType: 1 })
    expect(await ads.submit(author, empty.data.id)).toMatchObject({ msg: '请先上传素材' })
  })

  test('AD-02 a file of another tenant can neither be seen nor used', async () => {
    const { fileId, url } = await ads.material(author, 'adImage', '甲.jpg', await createPicture())
    const other = await ads.editor('另一客户')
    expect(await other.call('GET', `${AD_URL}/probe/${fileId}`)).toMatchObject({ msg: '素材不存在或已被删除' })
    expect((await other.inject({ url })).json()).toMatchObject({ code: 400 })
    const stolen = { adName: '盗用', adType: 1, materials: [{ fileId }] }
    expect(await other.call('POST', AD_URL, stolen)).toMatchObject({ msg: '素材不存在或不属于当前客户，请重新上传' })
    const wrongKind = { adName: '错类', adType: 2, materials: [{ fileId }] }
    expect(await author.call('POST', AD_URL, wrongKind)).toMatchObject({ code: 400 })
  })
})

describe.skipIf(withoutFfmpeg)('AD-02 videos and sound', () => {
  const record = (name: string, ...options: string[]) => encodeFile(folder, name, options)
  const source = (seconds: number, size = '320x180') => ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=10:d=${seconds}`]
  const sine = (seconds: number) => ['-f', 'lavfi', '-i', `sine=d=${seconds}`]

  test('AD-02 probing mp4 and webm reads duration, size, codec and sound', async () => {
    const mp4 = await record('a.mp4', ...source(2), ...sine(2), '-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-shortest')
    expect(await ads.material(author, 'adVideo', '甲.mp4', mp4)).toMatchObject({
      probeState: 1,
      mime: 'video/mp4',
      width: 320,
      height: 180,
      codec: 'avc1',
      hasAudio: 1,
      fps: 10,
    })
    const webm = await record('b.webm', ...source(2), '-c:v', 'libvpx-vp9', '-b:v', '100k')
    const found = await ads.material(author, 'adVideo', '乙.webm', webm)
    expect(found).toMatchObject({ probeState: 1, codec: 'vp9', hasAudio: 0 })
    expect(found.durationMs).toBeGreaterThan(1800)
    expect(found.durationMs).toBeLessThan(2200)
  })

  test('AD-02 a fragmented mp4 is probed, and a fragmented mp4 without duration is refused', async () => {
    const flags = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof']
    const whole = await record('f.mp4', ...source(2), '-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-g', '10', ...flags)
    expect(await ads.material(author, 'adVideo', '分段.mp4', whole)).toMatchObject({ probeState: 1, codec: 'avc1' })
    const headers = whole.subarray(0, whole.indexOf('moof') - 4)
    expect(await ads.material(author, 'adVideo', '残缺.mp4', headers)).toMatchObject({
      probeState: 2,
      probeError: '无法识别视频信息，请检查文件是否完整!',
    })
  })

  test('AD-02 a video that is too short or larger than 3840 x 2160 is refused', async () => {
    const short = await record('s.mp4', ...source(0.5), '-c:v', 'libx264', '-pix_fmt', 'yuv420p')
    expect(await ads.material(author, 'adVideo', '短.mp4', short)).toMatchObject({
      probeError: '视频时长须在1秒到1小时之间',
    })
    const large = await record('l.mp4', ...source(1, '4096x2304'), '-c:v', 'libx264', '-preset', 'ultrafast')
    expect(await ads.material(author, 'adVideo', '大.mp4', large)).toMatchObject({
      probeError: '视频分辨率不能超过3840×2160',
    })
  })

  test('AD-02 mp3, m4a and wav files are probed', async () => {
    for (const [name, codec] of [
      ['a.mp3', 'mp3'],
      ['a.m4a', 'mp4a'],
      ['a.wav', 'pcm-s16'],
    ] as const)
      expect(await ads.material(author, 'adAudio', name, await record(name, ...sine(2)))).toMatchObject({
        probeState: 1,
        codec,
      })
  })

  test('AD-02 the duration of a saved video ad is the duration of its file', async () => {
    const { fileId } = await ads.material(
      author,
      'adVideo',
      '片.mp4',
      await record('d.mp4', ...source(3), '-c:v', 'libx264', '-pix_fmt', 'yuv420p'),
    )
    const poster = await ads.send(author, 'adPoster', '封面.jpg', await createPicture())
    const input = { adName: '片', adType: 2, duration: 99, materials: [{ fileId, posterId: poster.data.id }] }
    const { data } = await author.call('POST', AD_URL, input)
    expect(await ads.read(author, data.id)).toMatchObject({
      duration: 3,
      spec: '320×180',
      fileBytes: expect.any(Number),
      thumbUrl: '',
    })
    await ads.readFiles()
    expect((await ads.read(author, data.id)).thumbUrl).toMatch(/^\/api\/v1\/file\//)
  })

  test('AD-02 the sizes of the files are listed in file order, and the first cover becomes the thumbnail', async () => {
    const video = async (name: string, size: string) =>
      ads.material(author, 'adVideo', name, await record(name, ...source(1, size), '-c:v', 'libvpx', '-b:v', '100k'))
    const [wide, tall] = [await video('w.webm', '320x180'), await video('t.webm', '180x320')]
    const poster = await ads.send(author, 'adPoster', '封面.jpg', await createPicture())
    const materials = [{ fileId: wide.fileId }, { fileId: tall.fileId, posterId: poster.data.id }]
    const { data } = await author.call('POST', AD_URL, { adName: '两片', adType: 2, materials })
    await ads.readFiles()
    const stored = await ads.read(author, data.id)
    expect(stored).toMatchObject({ spec: '320×180、180×320', thumbUrl: expect.stringContaining('/api/v1/file/') })
  })
})
