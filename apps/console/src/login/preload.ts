/** Loads the console while the person types: the build writes the names of its chunks into the document. */
export function preloadConsole() {
  const names = document.documentElement.dataset.preload?.split(' ') ?? []
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
