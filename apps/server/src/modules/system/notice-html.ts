import { NOTICE_HTML } from '@oms/contract/system/notice.ts'
import sanitize from 'sanitize-html'
import { invalid } from '#core/http/api-error.ts'

const FILE_ID = /\/api\/v1\/file\/([0-9a-f]{32})/g
const SUMMARY = 100

const options: sanitize.IOptions = {
  allowedTags: [...NOTICE_HTML.tags],
  allowedAttributes: {
    ...Object.fromEntries(Object.entries(NOTICE_HTML.attributes).map(([tag, names]) => [tag, [...names]])),
    '*': ['style'],
  },
  allowedStyles: { '*': { 'text-align': [NOTICE_HTML.alignment] } },
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

/** Removes HTML that a notice may not contain. */
export function sanitizeNotice(content: string): string {
  const html = sanitize(content, options)
  if (htmlToText(html) === '' && !html.includes('<img')) throw invalid('请输入内容', 'content')
  return html
}

/** Returns the text of sanitised HTML, which contains `<` and `>` only as the ends of tags. */
export const htmlToText = (html: string) =>
  html
    .replaceAll(/<\/(p|h\d|li|td|th|pre|blockquote)>|<br \/>/g, ' ')
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Returns the beginning of the text, cut between characters. */
export function summarizeHtml(html: string) {
  const letters = [...htmlToText(html)]
  return letters.length > SUMMARY ? `${letters.slice(0, SUMMARY).join('')}…` : letters.join('')
}

/** Returns the file ids of the pictures in a sanitised notice. */
export const listPictureIds = (html: string) => [...new Set([...html.matchAll(FILE_ID)].map(([, id]) => id as string))]
