// What the AWS SDK for JavaScript reads of a stream: its parts, and the error that ends it.

import {
  InvokeEndpointWithResponseStreamCommand,
  SageMakerRuntimeClient,
} from "@aws-sdk/client-sagemaker-runtime";

const client = new SageMakerRuntimeClient({});
const answer = await client.send(
  new InvokeEndpointWithResponseStreamCommand({ EndpointName: "writer", Body: process.argv[2] }),
);
const told = { parts: [], type: answer.ContentType, variant: answer.InvokedProductionVariant };
try {
  for await (const event of answer.Body) {
    told.parts.push(Buffer.from(event.PayloadPart.Bytes).toString());
  }
} catch (error) {
  told.error = [error.name, error.ErrorCode];
}
console.log(JSON.stringify(told));
