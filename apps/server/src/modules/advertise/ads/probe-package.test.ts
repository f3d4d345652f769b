import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import { crc32, deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type ProbeLimits, probeFile } from './probe.ts'

interface Member {
  readonly name: string
  readonly content: Buffer | string
  /** Size that the archive declares instead of the true size. */
  readonly size?: number
  readonly mode?: number
}

/** Returns a zip archive with deflated members. */
function zipOf(members: readonly Member[]): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const { name, content, size, mode = 0o100644 } of members) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const title = Buffer.from(name)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(0x800, 2)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(crc32(bytes), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(size ?? bytes.length, 18)
    facts.writeUInt16LE(title.length, 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), facts, title, packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE((mode << 16) >>> 0, 6)
    tail.writeUInt32LE(offset, 10)
    central.push(Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([20, 3]), facts, tail, title]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(members.length, 8)
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}

/** Returns the page made from an archive; rejects with the reason. */
const pageOf = (archive: Buffer, limits?: ProbeLimits) =>
  probeFile(
    { openRead: async () => Readable.from([archive]) },
    { kind: 'adPackage', sha256: '' },
    async ({ pagePath, chunkHashes }) => {
      expect(chunkHashes).toHaveLength(1)
      return readFileSync(pagePath, 'utf8')
    },
    limits,
  )
const page = (html: string, ...others: Member[]) => pageOf(zipOf([{ name: 'index.html', content: html }, ...others]))
const BROKEN = '素材包内容不正确，请重新打包'

describe('AD-13 packages', () => {
  test('AD-13 referenced files become data URLs, and the content security policy of the page forbids network requests', async () => {
    const html = await page(
      '<!doctype html><html><head><link rel="stylesheet" href="css/a.css"><style>b{background:url(img/b.png)}</style></head><body><img src="./img/b.png?v=1" srcset="img/b.png 2x"><script src="/js/a.js"></script></body></html>',
      { name: 'css/a.css', content: '@import "b.css"; i { background: url( "../img/b.png" ) }' },
      { name: 'css/b.css', content: 'p { color: red }' },
      { name: 'img/b.png', content: 'PICTURE' },
      { name: 'js/a.js', content: 'document.title = "运行"' },
    )
    const picture = `data:image/png;base64,${Buffer.from('PICTURE').toString('base64')}`
    expect(html.split(picture).length - 1).toBe(3)
    expect(html).toContain(`data:text/javascript;base64,${Buffer.from('document.title = "运行"').toString('base64')}`)
    expect(html).toMatch(/^<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src data: blob:/)
    const sheet = Buffer.from(/href="data:text\/css;base64,([^"]+)"/.exec(html)![1]!, 'base64').toString()
    expect(sheet).toContain(picture)
    expect(sheet).toContain('@import url("data:text/css;base64,')
  })

  test.each([
    '<!doctype html><!-- <head> --><html><head></head></html>',
    '<html><script>var a="<header>"</script><head></head></html>',
    '<!-- <head> -- ><head> --><!doctype html><p>text</p>',
    '<svg><title><head></title></svg><html><head><title>x</title></head></html>',
    '<!doctype html "<head>" x><body><textarea><head></textarea>',
    '\ufeff <!-- --!><head></head>',
  ])('AD-13 nothing of the package stands before the policy: %s', async (hostile) => {
    expect(await page(hostile)).toMatch(
      /^(?:<!doctype html>)?<meta http-equiv="Content-Security-Policy" content="[^"]+">/,
    )
  })

  test.each([
    ['<img src="https://evil.example/a.png">', 'https://evil.example/a.png'],
    ['<script src="//evil.example/a.js"></script>', '//evil.example/a.js'],
    ['<img src="../secret.png">', '../secret.png'],
    ['<img src="%2e%2e/secret.png">', '%2e%2e/secret.png'],
    ['<a href="javascript:alert(1)">x</a>', 'javascript:alert(1)'],
    ['<img src="\\\\evil.example\\a.png">', '\\\\evil.example\\a.png'],
    ['<p style="background:url(http://evil.example/x)">', 'http://evil.example/x'],
    ['<style>@import "https://evil.example/x.css";</style>', 'https://evil.example/x.css'],
    ['<svg><use xlink:href="file:///etc/passwd"></use></svg>', 'file:///etc/passwd'],
  ])('AD-13 a package with the external address in %s is refused', async (html, address) => {
    await expect(page(html)).rejects.toThrow(`素材包不能引用外部地址：${address}`)
  })

  test('AD-13 a package that redirects its page is refused', async () => {
    await expect(page('<meta http-equiv="Refresh" content="0">')).rejects.toThrow(
      '素材包内容不正确：index.html 不能自动跳转（meta refresh）',
    )
  })

  test.each(['<style>a { background: url("a.png }</style>', '<img src="%zz">'])(
    'AD-13 a package with the content %s is refused',
    async (html) => {
      await expect(page(html)).rejects.toThrow(BROKEN)
    },
  )

  test('AD-13 the error message of a refused package contains no characters that the database refuses', async () => {
    await expect(page('<img src="https://a.example/\u0000\u0001">')).rejects.toThrow(
      /^素材包不能引用外部地址：[^\p{Cc}]*$/u,
    )
    const long = `https://a.example/${'😀'.repeat(100)}`
    await expect(page(`<img src="${long}">`)).rejects.toSatisfy(({ message }: Error) => message.isWellFormed())
  })

  test('AD-13 zip bombs, symbolic links, paths outside the archive and other archive formats are refused', async () => {
    const index = { name: 'index.html', content: 'x' }
    const zeros = Buffer.alloc(41 * 1024 * 1024)
    const many = Array.from({ length: 200 }, (_, n) => ({ name: `${n}.txt`, content: '' }))
    const refused: [string, Buffer, string?][] = [
      ['41 MB of zeros', zipOf([index, { name: 'a', content: zeros }]), '解压后超过40 MB'],
      [
        'a declared size that lies',
        zipOf([index, { name: 'a', content: zeros.subarray(0, 1_000_000), size: 10 }]),
        '文件「a」已损坏',
      ],
      ['201 entries', zipOf([index, ...many]), '文件超过200个'],
      ['a symbolic link', zipOf([index, { name: 'a', content: '/etc/passwd', mode: 0o120777 }]), '文件「a」是链接'],
      ['a name outside', zipOf([index, { name: '../a', content: 'x' }]), '文件名「../a」不能使用'],
      ['an absolute name', zipOf([index, { name: '/a', content: 'x' }]), '文件名「/a」不能使用'],
      ['no archive', Buffer.concat([Buffer.from('PK\u0003\u0004'), randomBytes(500)])],
    ]
    for (const [what, archive, problem] of refused)
      await expect(pageOf(archive), what).rejects.toThrow(problem ? `素材包内容不正确：${problem}` : BROKEN)
    await expect(pageOf(zipOf([{ name: 'sub/index.html', content: 'x' }]))).rejects.toThrow('素材包缺少 index.html')
    await expect(page('<img src="no.png">')).rejects.toThrow('素材包缺少 no.png')
  })

  test('AD-13 references that expand a file many times and style sheets that import each other are refused', async () => {
    const large = { name: 'a.png', content: randomBytes(1_000_000) }
    await expect(page('<img src="a.png">'.repeat(100), large)).rejects.toThrow('引用的文件展开后超过60 MB')
    await expect(
      page(
        '<link rel="stylesheet" href="a.css">',
        { name: 'a.css', content: '@import "b.css"' },
        { name: 'b.css', content: '@import "a.css"' },
      ),
    ).rejects.toThrow('样式表「a.css」循环引用')
  })

  test('AD-13 deeply nested and unclosed elements are read within the time limit', async () => {
    await page('<div>'.repeat(20_000)).catch((error: Error) => expect(error.message).toBe(BROKEN))
    await expect(page(`<style>${'url('.repeat(100_000)}</style>`)).rejects.toThrow()
  })

  test('AD-13 a probe process that exceeds the time limit is killed and leaves no file', async () => {
    await expect(pageOf(zipOf([{ name: 'index.html', content: 'x' }]), { heapMb: 256, workMs: 1 })).rejects.toThrow(
      BROKEN,
    )
    const left = readdirSync(tmpdir()).filter((name) => name.startsWith('oms-probe-'))
    expect(left.filter((name) => existsSync(`${tmpdir()}/${name}/page.html`))).toEqual([])
  })
})
