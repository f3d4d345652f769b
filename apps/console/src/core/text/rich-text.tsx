import { NOTICE_HTML } from '@oms/contract/system/notice.ts'
import { createElement, type ReactNode, useMemo } from 'react'
import { useFileUrl } from '#core/api/file-url.ts'

const TAGS: ReadonlySet<string> = new Set(NOTICE_HTML.tags)
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = NOTICE_HTML.attributes
const PROPERTY: Readonly<Record<string, string>> = { colspan: 'colSpan', rowspan: 'rowSpan' }
/** Tags that are removed with their content. Other unknown tags are removed, but their content is kept. */
const WHOLLY_GONE = /^(script|style|template|iframe|object|embed|svg|math|noscript|title|head)$/

/**
 * Renders HTML written by users as React elements by an allowlist of tags and attributes. No script can run, even if
 * the server's sanitising failed.
 */
export function RichText({ html }: { html: string }) {
  const shown = useMemo(() => {
    const { body } = new DOMParser().parseFromString(html, 'text/html')
    return childrenOf(body)
  }, [html])
  return <div className="rich-text">{shown}</div>
}

const childrenOf = (node: Node): ReactNode[] => [...node.childNodes].map((child, at) => shownNode(child, at))

function shownNode(node: Node, key: number): ReactNode {
  if (node instanceof Text) return node.data
  if (!(node instanceof HTMLElement)) return null
  const tag = node.tagName.toLowerCase()
  if (WHOLLY_GONE.test(tag)) return null
  if (!TAGS.has(tag)) return childrenOf(node)
  if (tag === 'img')
    return <Picture key={key} src={node.getAttribute('src') ?? ''} alt={node.getAttribute('alt') ?? ''} />
  const isVoid = tag === 'br' || tag === 'hr'
  return createElement(tag, { key, ...propsOf(node, tag) }, ...(isVoid ? [] : childrenOf(node)))
}

function propsOf(element: HTMLElement, tag: string) {
  const props: Record<string, unknown> = {}
  for (const name of ATTRIBUTES[tag] ?? []) {
    const value = element.getAttribute(name)
    if (value !== null) props[PROPERTY[name] ?? name] = value
  }
  const alignment = NOTICE_HTML.alignments.find((each) => each === element.style.textAlign)
  if (alignment) props['style'] = { textAlign: alignment }
  if (tag === 'a') Object.assign(props, linkOf(element))
  return props
}

const linkOf = (element: HTMLElement) => {
  const href = element.getAttribute('href') ?? ''
  return { href: NOTICE_HTML.link.test(href) ? href : undefined, target: '_blank', rel: 'noopener noreferrer' }
}

function Picture({ src, alt }: { src: string; alt: string }) {
  const shown = useFileUrl(NOTICE_HTML.image.test(src) ? src : '')
  return shown ? <img src={shown} alt={alt} /> : null
}
