// Imports only the encoder of `qrcode`, because its renderers would double the size of this page.
import { create } from 'qrcode/lib/core/qrcode.js'

const QUIET = 3

/** Draws the text as a QR code, one canvas pixel a module; CSS enlarges the canvas. */
export function drawQrCode(canvas: HTMLCanvasElement, text: string) {
  const { modules } = create(text, { errorCorrectionLevel: 'M' })
  const size = modules.size + 2 * QUIET
  canvas.width = size
  canvas.height = size
  const context = canvas.getContext('2d')
  if (!context) return
  context.fillStyle = '#fff'
  context.fillRect(0, 0, size, size)
  context.fillStyle = '#000'
  for (let row = 0; row < modules.size; row++)
    for (let column = 0; column < modules.size; column++)
      if (modules.get(row, column)) context.fillRect(column + QUIET, row + QUIET, 1, 1)
}
