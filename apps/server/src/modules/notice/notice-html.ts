import { NOTICE_HTML } from '@oms/contract/notice.ts'
import sanitize from 'sanitize-html'
import { invalid } from '#kernel/problem.ts'

const FILE_ID = /\/api\/v1\/file\/([0-9a-f]{32})/g
const SUMMARY = 100

const options: sanitize.IOptions = {
  allowedTags: [...NOTICE_HTML.tags],
  allowedAttributes: {
    ...Object.fromEntries(Object.entries(NOTICE_HTML.attributes).map(([tag, names]) => [tag, [...names]])),
    '*': ['style'],
  },
  allowedStyles: { '*': { 'text-align': [new RegExp(`^(${NOTICE_HTML.alignments.join('|')})$`)] } },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowProtocolRelative: false,
  nestingLimit: 30,
  transformTags: {
    a: (tagName, { href = '', title }) => ({
      tagName,
      attribs: {
        ...(NOTICE_HTML.link.test(href) && { href }),
        ...(title && { title }),
        target: '_blank',
        rel: 'noopener noreferrer',
      },
    }),
  },
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !NOTICE_HTML.image.test(attribs.src ?? ''),
}

/** What a person wrote, with everything taken out that a notice may not hold. */
export function cleaned(content: string): string {
  const html = sanitize(content, options)
  if (plainText(html) === '' && !html.includes('<img')) throw invalid('请输入内容', 'content')
  return html
}

/** The words alone. */
export const plainText = (html: string) =>
  sanitize(html.replaceAll(/<\/(p|h\d|li|td|th|pre|blockquote)>|<br \/>/g, '$& '), {
    allowedTags: [],
    allowedAttributes: {},
  })
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** The beginning of the words, cut between characters. */
export function summaryOf(html: string) {
  const letters = [...plainText(html)]
  return letters.length > SUMMARY ? `${letters.slice(0, SUMMARY).join('')}…` : letters.join('')
}

/** Ids of the pictures in a cleaned notice. */
export const picturesIn = (html: string) => [...new Set([...html.matchAll(FILE_ID)].map(([, id]) => id as string))]
