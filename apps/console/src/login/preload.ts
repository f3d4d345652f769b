import { HOME } from '#core/routing/addresses.ts'

/**
 * Prefetches the console's chunks while the user types, and those of the home page when the user goes there. The build
 * writes the chunk names into the document.
 */
export function preloadConsole(target: string) {
  const { preload = '', preloadHome = '' } = document.documentElement.dataset
  const isHome = target === '/' || target.startsWith(HOME)
  const names = `${preload} ${isHome ? preloadHome : ''}`.trim().split(' ')
  // `prefetch` only fills the HTTP cache, so no script is parsed while the user types.
  const rel = document.createElement('link').relList.supports('prefetch') ? 'prefetch' : 'preload'
  const begin = () => {
    for (const href of names) {
      const link = document.createElement('link')
      link.rel = rel
      link.href = href
      link.as = href.endsWith('.css') ? 'style' : 'script'
      if (!href.endsWith('.css')) link.crossOrigin = ''
      document.head.append(link)
    }
  }
  if (document.readyState === 'complete') setTimeout(begin, 50)
  else addEventListener('load', () => setTimeout(begin, 50))
}
