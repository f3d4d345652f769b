import { applyAccent } from '#core/theme/accent.ts'
import type { ColorScheme } from '#core/theme/color-scheme.ts'

/** The brand that the server writes into the pages of the installation. */
export interface PageBrand {
  readonly name: string
  readonly logo: string
  readonly logoDark: string
  readonly accent: string
  readonly loginPicture: string
  readonly footer: string
  readonly registration: string
}

/** Returns the brand of the page; undefined when the installation has no brand of its own. */
export function readPageBrand(): PageBrand | undefined {
  const text = document.documentElement.dataset['brand']
  return text ? (JSON.parse(text) as PageBrand) : undefined
}

/** Shows name, logo, picture, footer and accent of the installation on a page without a login. */
export function showPageBrand(scheme: ColorScheme) {
  const brand = readPageBrand()
  if (!brand) return
  applyAccent(brand.accent, scheme)
  for (const element of document.querySelectorAll('[data-name]')) if (brand.name) element.textContent = brand.name
  // The English name belongs to the product's own name.
  if (brand.name) for (const element of document.querySelectorAll('.split .name small')) element.remove()
  showLogo('.split .side .name > :is(svg, img)', brand.logoDark)
  showLogo('.split .small > :is(svg, img)', scheme === 'dark' ? brand.logoDark : brand.logo)
  showPicture(brand.loginPicture)
  const texts = [brand.footer, brand.registration].filter(Boolean)
  for (const footer of document.querySelectorAll('[data-footer]'))
    if (texts.length > 0) footer.textContent = texts.join('　')
}

function showLogo(selector: string, url: string) {
  if (!url) return
  const image = Object.assign(new Image(), { src: url, alt: '' })
  document.querySelector(selector)?.replaceWith(image)
}

function showPicture(url: string) {
  const side = document.querySelector<HTMLElement>('.split .side')
  if (!side || !url) return
  side.dataset['picture'] = ''
  side.style.backgroundImage = `url("${url}")`
}
