import { describe, expect, test } from 'vitest'
import { sanitizeNotice, listPictureIds, htmlToText, summarizeHtml } from './notice-html.ts'

const ID = '0123456789abcdef0123456789abcdef'

describe('sanitised notices', () => {
  test.each([
    ['<p>好<script>alert(1)</script></p>', '<p>好</p>'],
    ['<p onclick="x()">好</p>', '<p>好</p>'],
    ['<p>好</p><img src="x" onerror="x()">', '<p>好</p>'],
    ['<p>好</p><svg onload="x()"><circle/></svg>', '<p>好</p>'],
    ['<p>好</p><iframe src="https://a.b"></iframe>', '<p>好</p>'],
    ['<p style="text-align:center;position:fixed">好</p>', '<p style="text-align:center">好</p>'],
    ['<p class="x" id="y">好</p>', '<p>好</p>'],
    ['<p>好</p><math><mtext><style><img src=x onerror=x()></style></mtext></math>', '<p>好</p>'],
    ['<p>好<!-- --><form action="/x"><input></form></p>', '<p>好</p><p></p>'],
  ])('sanitising removes scripts, handlers and unknown attributes: %s', (given, kept) =>
    expect(sanitizeNotice(given)).toBe(kept),
  )

  test.each(['javascript:x()', 'JaVaScRiPt:x()', 'java\nscript:x()', 'data:text/html,x', '//evil.example', '/\\evil'])(
    'sanitising removes a link to %j',
    (href) => expect(sanitizeNotice(`<a href="${href}">好</a>`)).not.toContain('href'),
  )

  test('permitted links open in a new window without access to the opener', () =>
    expect(sanitizeNotice('<a href="https://a.example/x">好</a>')).toBe(
      '<a href="https://a.example/x" target="_blank" rel="noopener noreferrer">好</a>',
    ))

  test('sanitising keeps only pictures that are stored on this server', () => {
    const own = `<img src="/api/v1/file/${ID}" alt="图" />`
    expect(sanitizeNotice(`<p>${own}<img src="https://evil.example/x.png"></p>`)).toBe(`<p>${own}</p>`)
    expect(listPictureIds(own)).toEqual([ID])
  })

  test.each(['<p> </p>', '<script>x</script>', '<p><br></p>', '<img src="https://evil.example/x.png">'])(
    'a notice with the content %s is refused, because nothing remains after sanitising',
    (html) => expect(() => sanitizeNotice(html)).toThrow('请输入内容'),
  )

  test('sanitising a notice twice gives the same result as once', () => {
    const once = sanitizeNotice('<h2>甲 & 乙</h2><ul><li><b>一</b></li></ul><a href="/x">链接</a>')
    expect(sanitizeNotice(once)).toBe(once)
  })
})

test('the summary of a notice is plain text, cut between characters', () => {
  expect(htmlToText('<h1>甲</h1><p>1 &lt; 2 &amp; 3</p>')).toBe('甲 1 < 2 & 3')
  expect([...summarizeHtml(`<p>${'😀'.repeat(200)}</p>`)]).toHaveLength(101)
})
