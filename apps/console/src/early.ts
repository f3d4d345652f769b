import { HOME, isPublic, loginAddress } from '#kernel/addresses.ts'
import { readCredentials } from '#kernel/credentials.ts'
import { keepEarly } from '#kernel/early-answers.ts'
import type { Answer } from '#kernel/transport.ts'

// Before anything is drawn: a chosen theme must not flash.
document.documentElement.dataset['theme'] = localStorage.getItem('theme') ?? ''

preloadPage()

/** The permission list, asked for before any other code has arrived: the page cannot start without it. */
export const early = askEarly()
// Whoever starts the console hears of a failure; until then it is not an unhandled one.
early?.catch(() => {})

function askEarly(): Promise<Answer> | undefined {
  const credentials = readCredentials()
  if (isPublic(location.pathname)) return undefined
  if (!credentials) {
    location.replace(loginAddress(location.pathname + location.search + location.hash))
    return undefined
  }
  const { token, ownerId } = credentials
  const ask = (url: string) =>
    answerOf(url, { 'x-client': 'console', ticket: token, ...(ownerId && { ownerId }) }, token)
  const list = firstList()
  if (list && !credentials.mustChangePassword) keepEarly(list, ask(list))
  return ask('/api/v1/sys/account/perms')
}

/** What the list at this address asks for first, as `firstPage` does; the build wrote down which call that is. */
function firstList(): string | undefined {
  const lists: Readonly<Record<string, string>> = JSON.parse(document.documentElement.dataset['lists'] ?? '{}')
  const path = lists[location.pathname]
  return path && location.search === '' ? `${path}?pageNum=1&pageSize=20` : undefined
}

async function answerOf(url: string, headers: Record<string, string>, token: string): Promise<Answer> {
  const response = await fetch(url, { headers })
  const body: unknown = await response.json().catch(() => undefined)
  return { status: response.status, body, permVersion: '', token }
}

/** The code of the page at hand comes beside that of the frame; the build wrote down which files that is. */
function preloadPage() {
  const pages: Readonly<Record<string, readonly string[]>> = JSON.parse(
    document.documentElement.dataset['pages'] ?? '{}',
  )
  for (const file of pages[location.pathname === '/' ? HOME : location.pathname] ?? []) {
    const link = document.createElement('link')
    const isStyle = file.endsWith('.css')
    Object.assign(link, { rel: isStyle ? 'preload' : 'modulepreload', href: `/${file}`, crossOrigin: '' })
    if (isStyle) link.as = 'style'
    document.head.append(link)
  }
}
