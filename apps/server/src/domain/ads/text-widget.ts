import type { AdText } from '@oms/contract/ad-engine/manifest.ts'
import { createZip } from './files/zip.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (found) => ESCAPES[found]!)
/** Seconds in which a scrolling text crosses the screen at speed 1. */
const SLOWEST_SECONDS = 40

const CONFIG = `<?xml version="1.0" encoding="UTF-8"?>
<widget xmlns="http://www.w3.org/ns/widgets" width="1920" height="1080"><name>ad</name><content src="index.html"/></widget>
`

/** Returns a W3C widget with one page. */
export const createTextWidget = (page: Buffer) =>
  createZip([
    { name: 'config.xml', bytes: Buffer.from(CONFIG) },
    { name: 'index.html', bytes: page },
  ])

/**
 * Returns the page of a text ad for players that show packages. Sizes apply to a screen with a height of 1080 pixels.
 */
export function renderTextPage({ content, fontSize, color, background, align, scroll, speed }: AdText): Buffer {
  const size = `${(fontSize / 10.8).toFixed(3)}vh`
  const seconds = (SLOWEST_SECONDS / Math.max(1, speed)).toFixed(1)
  const motion = scroll
    ? `white-space:nowrap;position:absolute;top:50%;left:0;transform:translate(100vw,-50%);animation:run ${seconds}s linear infinite`
    : `width:100%;padding:0 4vw;text-align:${align};white-space:pre-wrap`
  return Buffer.from(`<!doctype html>
<html lang="zh-CN"><meta charset="utf-8"><title>ad</title>
<style>html,body{margin:0;height:100%;overflow:hidden}body{display:flex;align-items:center;background:${escaped(background)};color:${escaped(color)};font-size:${size}}
p{box-sizing:border-box;margin:0;${motion}}@keyframes run{to{transform:translate(-100%,-50%)}}</style>
<p>${escaped(content)}</p></html>
`)
}
