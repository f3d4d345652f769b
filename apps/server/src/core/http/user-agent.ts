const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/MicroMessenger\/([\d]+)/, '微信'],
  [/QQBrowser\/(\d+)/, 'QQ浏览器'],
  [/UCBrowser\/(\d+)/, 'UC浏览器'],
  [/MiuiBrowser\/(\d+)/, '小米浏览器'],
  [/HuaweiBrowser\/(\d+)/, '华为浏览器'],
  [/Edg(?:e|A|iOS)?\/(\d+)/, 'Edge'],
  [/OPR\/(\d+)/, 'Opera'],
  [/(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/(?:Chrome|CriOS|HeadlessChrome)\/(\d+)/, 'Chrome'],
  [/Version\/(\d+)\b(?=.*Safari)/, 'Safari'],
  [/curl\/(\d+)/, 'curl'],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Windows NT 1\d/, 'Windows'],
  [/Windows NT/, 'Windows'],
  [/HarmonyOS|OpenHarmony/, 'HarmonyOS'],
  [/Android (\d+)/, 'Android'],
  [/(?:iPhone|iPad).*OS (\d+)/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

const findProductName = (table: typeof BROWSERS, text: string) => {
  for (const [pattern, name] of table) {
    const match = pattern.exec(text)
    if (match) return match[1] ? `${name} ${match[1]}` : name
  }
  return ''
}

/**
 * Returns the names of browser and operating system for a login record; `其他` when unknown. Users recognise their own
 * devices by these names.
 */
export function readUserAgent(userAgent: string) {
  const text = userAgent.slice(0, 512)
  return { browser: findProductName(BROWSERS, text) || '其他', os: findProductName(SYSTEMS, text) || '其他' }
}
