import { AD_MESSAGES, formatPackageProblem } from '@oms/contract/advertise/ad-rules.ts'
import { DomUtils, parseDocument } from 'htmlparser2'
import { readArchive } from './package-archive.ts'
import { PackageReferences } from './package-references.ts'
import { FileRefusedError } from './probe-facts.ts'

const INDEX = 'index.html'
const REFERENCES = ['src', 'href', 'poster', 'data', 'background', 'xlink:href'] as const
const SETS = ['srcset', 'imagesrcset'] as const
/** Content security policy that players send as a header. The page contains the same policy. */
const POLICY =
  "default-src data: blob: 'unsafe-inline'; connect-src 'none'; frame-src 'none'; form-action 'none'; base-uri 'none'"

type Document = ReturnType<typeof parseDocument>
type Element = ReturnType<typeof DomUtils.getElementsByTagName>[number]

/**
 * Returns one HTML document of a package: every referenced file becomes a `data:` address. Refuses references outside
 * the package. Files that only scripts name are not included, because scripts on screens have no network.
 */
export async function probePackage(path: string): Promise<string> {
  const files = await readArchive(path)
  const index = files.get(INDEX)
  if (!index) throw new FileRefusedError(AD_MESSAGES.pageMissing)
  try {
    return inlined(index.toString('utf8'), new PackageReferences(files))
  } catch (error) {
    throw error instanceof FileRefusedError ? error : new FileRefusedError(AD_MESSAGES.pageBroken, { cause: error })
  }
}

function inlined(html: string, references: PackageReferences) {
  const document = parseDocument(html)
  for (const element of DomUtils.getElementsByTagName('*', document)) rewrite(element, references)
  return withPolicy(document, DomUtils.getOuterHTML(document.children))
}

function rewrite(element: Element, references: PackageReferences) {
  const { attribs, name } = element
  // The Content-Security-Policy of the page does not block a redirection.
  const isRefresh = name === 'meta' && /refresh/i.test(attribs['http-equiv'] ?? '')
  if (isRefresh) throw new FileRefusedError(formatPackageProblem(`${INDEX} 不能自动跳转（meta refresh）`))
  for (const key of REFERENCES) {
    const value = attribs[key]
    if (value !== undefined) attribs[key] = references.resolve(value, INDEX)
  }
  for (const key of SETS) {
    const value = attribs[key]
    if (value !== undefined) attribs[key] = candidates(value, references)
  }
  if (attribs['style'] !== undefined) attribs['style'] = references.styles(attribs['style'], INDEX)
  if (name === 'style')
    for (const child of element.children) if ('data' in child) child.data = references.styles(child.data, INDEX)
}

/** Replaces the addresses in a `srcset` value such as `a.png 1x, b.png 2x`. */
const candidates = (value: string, references: PackageReferences) =>
  value
    .split(',')
    .map((candidate) => {
      const [address = '', ...rest] = candidate.trim().split(/\s+/)
      return [references.resolve(address, INDEX), ...rest].join(' ')
    })
    .join(', ')

/**
 * Inserts the Content-Security-Policy before all content of the page. The parser of a browser differs from this parser,
 * so earlier content could place the policy inside a comment or a script.
 */
function withPolicy(document: Document, html: string) {
  const hasDoctype = document.children.some(
    (node) => node.type === 'directive' && 'data' in node && /^!doctype/i.test(node.data),
  )
  return `${hasDoctype ? '<!doctype html>' : ''}<meta http-equiv="Content-Security-Policy" content="${POLICY}">${html}`
}
