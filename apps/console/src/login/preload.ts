import { HOME } from '#kernel/addresses.ts'

/**
 * Loads the console while the person types, home's page too for who is bound there: the build writes the names of the
 * chunks into the document.
 */
export function preloadConsole(target: string) {
  const { preload = '', preloadHome = '' } = document.documentElement.dataset
  const isHome = target === '/' || target.startsWith(HOME)
  const names = `${preload} ${isHome ? preloadHome : ''}`.trim().split(' ')
  // `prefetch` only fills the cache: nothing is parsed while somebody types.
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
